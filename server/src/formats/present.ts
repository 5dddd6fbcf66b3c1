import { Failure, type FailureCode } from '../domain/failure.ts'
import { challengeBytesMax, hasChallengeForm } from '../domain/scrape/challenge-form.ts'
import type { PageVerdict } from '../domain/scrape/engine-reason.ts'
import type { MinifierOptions } from '../domain/scrape/minifier-options.ts'
import { cutPage, type PagePart, type TextRange } from '../domain/task/cut-page.ts'
import type { PreviewFormat } from '../domain/task/preview.ts'
import { JsonCounter } from '../runtime/json-counter.ts'
import type { DataOrder } from './catalogue.ts'
import { type ContentKind, contentKind } from './content/content-kind.ts'
import { toUtf8 } from './decoding/charset.ts'
import { decodeBody } from './decoding/decode-body.ts'
import type { PageLinks } from './dom/links.ts'
import { isJson } from './is-json.ts'
import { toJsonString } from './json-text.ts'
import { judgedMax, judgePage } from './needs-browser.ts'

export interface PageToPresent {
  /** As the target sent it. The body is read, never changed or detached. */
  body: Uint8Array
  contentEncoding: string | undefined
  contentType: string | undefined
  /** The response has to be JSON. */
  isJson: boolean
  /** The caller's `HTMLMinifier`. */
  minify: MinifierOptions | undefined
  /** `embedded`: inside a JSON document. `plain`: by itself. `raw`: as the target sent it, decompressed. */
  form: 'embedded' | 'plain' | 'raw'
  /** The result is the `data` of an extraction. */
  extract?: DataOrder
  /** The result is an HTML document that shows this format of the `data` to a person. */
  preview?: PreviewFormat
  /** The body is the JSON of an extraction, and the result is this part of its output. */
  part?: TextRange
  /** Reading a PDF may take any time and memory, so it runs in a process that can be ended. */
  mayBePdf?: boolean
  /** Given if the page is also judged by whether it needs a browser. */
  judgedHeaders?: Readonly<Record<string, string>>
  /** This is a process of its own already; elsewhere, large pages are moved to one. */
  isInProcess?: boolean
}

/** A compressed page of this size may decode to the largest page allowed. */
const largeBytes = 256 * 1024

export const isLarge = ({ body }: PageToPresent): boolean => body.byteLength > largeBytes

export interface Content {
  /** `data`: the `data` of an extraction, a JSON object. */
  kind: 'html' | 'json' | 'data'
  /** Embedded: JSON to put inside a JSON document. Plain: the text itself, in UTF-8. */
  bytes: Uint8Array
  /** The charset that the target sent. */
  charset: string
  /** Some bytes were not valid in that charset and became U+FFFD. */
  hasReplacements: boolean
  decodedBytes: number
  /** Set where the target sent neither text nor markup, and the caller gets it as a file. */
  file?: FileFacts
  /** Set for a page of a crawl. */
  links?: PageLinks
  /** Set where a part was asked for; there are no bytes then. */
  part?: PagePart
  /** Set where a page was to be judged. */
  verdict?: PageVerdict
  /** Set on the HTML of an extraction. */
  hasChallengeForm?: boolean
}

interface FileFacts {
  bytes: number
  contentType: string
}

/** Why a page could not be presented; `detail` is for the log. */
export interface PresentFault {
  code: FailureCode
  message: string
  detail: string | undefined
  /** The page has to be presented in a process. */
  needsProcess?: boolean
}

/**
 * From a larger text the formats may build lists of some 10 MB in one step. A heap that overflows in
 * such a step ends the whole process, not only the thread.
 */
const threadBytesMax = 2 ** 20

export class NeedsProcess extends Error {}

/** Turns a target's bytes into the content that callers get. It blocks: call it in a thread. */
export async function present(page: PageToPresent): Promise<Content> {
  if (page.part) return presentPart(page, page.part)
  const decoded = decodeBody(page.body, page.contentEncoding)
  if (page.form === 'raw') return presentRaw(page, decoded)
  if (page.extract) {
    const content = await presentExtraction(page, page.extract, decoded)
    return page.preview ? asPreview(content, page.preview) : content
  }
  const { utf8, facts } = decodeText(page, decoded)
  if (page.isJson) return { kind: 'json', bytes: requireJson(utf8), ...facts }
  const html = await minified(utf8, page.minify)
  return { kind: 'html', bytes: page.form === 'embedded' ? toJsonString(html) : html, ...facts }
}

/** A few bytes of JSON can take a hundred of the heap: each of these values takes some 300 at most. */
const threadValuesMax = 200_000

function presentPart({ body, isInProcess }: PageToPresent, range: TextRange): Content {
  if (!isInProcess) {
    const counter = new JsonCounter()
    counter.add(body)
    if (counter.values > threadValuesMax) throw new NeedsProcess()
  }
  const facts = { charset: 'utf-8', hasReplacements: false, decodedBytes: body.byteLength }
  return { kind: 'json', bytes: new Uint8Array(), part: cutPage(body, range), ...facts }
}

async function asPreview(content: Content, format: PreviewFormat): Promise<Content> {
  const { presentPreview } = await import('./present-preview.ts')
  return { ...content, kind: 'html', bytes: presentPreview(content.bytes, format) }
}

function presentRaw(page: PageToPresent, decoded: Uint8Array): Content {
  const isFile = isBytes(contentKind(page.contentType, decoded))
  return { kind: 'html', bytes: decoded, ...bytesFacts(page, isFile, decoded.byteLength) }
}

async function presentExtraction(
  page: PageToPresent,
  order: DataOrder,
  decoded: Uint8Array,
): Promise<Content> {
  const sent = page.isJson ? 'json' : contentKind(page.contentType, decoded)
  // The formats take time to load, so they are imported only when a page needs them.
  const { presentData } = await import('./present-data.ts')
  if (isBytes(sent)) {
    // A PDF that nobody could tell by its headers is not in the process for PDFs, so it stays a file.
    const isRead = sent === 'pdf' && page.mayBePdf === true
    const { bytes } = await presentData(order, { kind: isRead ? 'pdf' : 'binary', bytes: decoded })
    return { kind: 'data', bytes, ...bytesFacts(page, !isRead, decoded.byteLength) }
  }
  const isInProcess = page.isInProcess || page.mayBePdf || page.minify?.useMinifier
  if (decoded.byteLength > threadBytesMax && !isInProcess) throw new NeedsProcess()
  const { utf8, facts } = decodeText(page, decoded)
  if (page.isJson) requireJson(utf8)
  const kind = page.isJson ? 'json' : kindOfText(page, sent, { utf8, charset: facts.charset })
  const html = kind === 'html' ? await minified(utf8, page.minify) : utf8
  const data = await presentData(order, { kind, utf8, html })
  return { kind: 'data', ...data, ...facts, ...(kind === 'html' && judge(page, utf8)) }
}

const isBytes = (kind: ContentKind): kind is 'image' | 'binary' | 'pdf' =>
  kind === 'image' || kind === 'binary' || kind === 'pdf'

type TextKind = Exclude<ContentKind, 'image' | 'binary' | 'pdf'>

/**
 * In another charset than UTF-8, only the decoded text shows whether a response is JSON. Without this,
 * a wrong charset would put text into `data.json` that is none, and no client could read the result.
 */
function kindOfText(
  { contentType }: PageToPresent,
  sent: TextKind,
  { utf8, charset }: { utf8: Buffer; charset: string },
): TextKind {
  if (charset === 'utf-8' || (sent !== 'json' && sent !== 'text')) return sent
  return contentKind(contentType, utf8) === 'json' ? 'json' : 'text'
}

/** Whether the page is a challenge and, where the caller left that open, whether it needs a browser. */
const judge = (
  { judgedHeaders: headers }: PageToPresent,
  utf8: Buffer,
): Pick<Content, 'verdict' | 'hasChallengeForm'> => ({
  hasChallengeForm: hasChallengeForm(utf8.toString('utf8', 0, challengeBytesMax)),
  ...(headers && {
    verdict: judgePage({ headers, text: utf8.toString('utf8', 0, judgedMax) }),
  }),
})

/** `isFile`: the caller gets a link to the bytes. */
const bytesFacts = ({ contentType }: PageToPresent, isFile: boolean, bytes: number) => ({
  charset: 'binary',
  hasReplacements: false,
  decodedBytes: bytes,
  ...(isFile && { file: { bytes, contentType: contentType ?? 'application/octet-stream' } }),
})

function decodeText(page: PageToPresent, decoded: Uint8Array) {
  const { bytes, charset, hasReplacements } = toUtf8(
    decoded,
    // Without a header the body counts as JSON here, so that no markup is searched for a charset.
    page.isJson ? (page.contentType ?? 'application/json') : page.contentType,
  )
  return {
    utf8: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    facts: { charset, hasReplacements, decodedBytes: decoded.byteLength },
  }
}

/** Larger pages are not minified: that would take more time and memory than it saves. */
const minifiedBytesMax = 5 * 2 ** 20

async function minified(utf8: Buffer, options: MinifierOptions | undefined): Promise<Buffer> {
  if (!options?.useMinifier || utf8.length > minifiedBytesMax) return utf8
  // The minifier takes much memory, so it is imported only when a page needs it.
  const { minifyHtml } = await import('./minifier/minify-html.ts')
  return Buffer.from(await minifyHtml(utf8.toString('utf8'), options))
}

/** Returns the document as the target wrote it, so that long numbers keep their digits. */
function requireJson(utf8: Buffer): Buffer {
  if (isJson(utf8)) return utf8
  throw new Failure(
    'BAD_RESPONSE',
    'The response is not JSON; leave out is_json_response to get it as text.',
  )
}
