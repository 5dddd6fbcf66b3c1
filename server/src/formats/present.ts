import { Failure, type FailureCode } from '../domain/failure.ts'
import type { MinifierOptions } from '../domain/scrape/minifier-options.ts'
import { toUtf8 } from './charset.ts'
import { decodeBody } from './decode-body.ts'
import { isJson } from './is-json.ts'

export interface PresentJob {
  /** As the target sent it. The body is read, never changed or detached. */
  body: Uint8Array
  contentEncoding: string | undefined
  contentType: string | undefined
  /** The response has to be JSON. */
  isJson: boolean
  /** The caller's `HTMLMinifier`. */
  minify: MinifierOptions | undefined
  form: 'embedded' | 'plain'
}

export interface Content {
  kind: 'html' | 'json'
  /** Embedded: JSON to put inside a JSON document. Plain: the text itself, in UTF-8. */
  bytes: Uint8Array
  /** The charset that the target sent. */
  charset: string
  /** Some bytes were not valid in that charset and became U+FFFD. */
  hasReplacements: boolean
  decodedBytes: number
}

/** Why a page could not be presented; `detail` is for the log. */
export interface PresentFault {
  code: FailureCode
  message: string
  detail: string | undefined
}

/** Turns a target's bytes into the content that callers get. It blocks: call it in a thread. */
export async function present(job: PresentJob): Promise<Content> {
  const decoded = decodeBody(job.body, job.contentEncoding)
  const { bytes, charset, hasReplacements } = toUtf8(
    decoded,
    // Without a header the body counts as JSON here, so that no markup is searched for a charset.
    job.isJson ? (job.contentType ?? 'application/json') : job.contentType,
  )
  const facts = { charset, hasReplacements, decodedBytes: decoded.byteLength }
  const utf8 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (job.isJson) return { kind: 'json', bytes: requireJson(utf8), ...facts }
  const html = await minified(utf8, job.minify)
  return { kind: 'html', bytes: job.form === 'plain' ? html : toJsonString(html), ...facts }
}

/** Larger pages are not minified: that would take more time and memory than it saves. */
const minifiedBytesMax = 5 * 2 ** 20

async function minified(utf8: Buffer, options: MinifierOptions | undefined): Promise<Buffer> {
  if (!options?.useMinifier || utf8.length > minifiedBytesMax) return utf8
  // The minifier takes much memory, so it is imported only when a job needs it.
  const { minifyHtml } = await import('./minify-html.ts')
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

/** A large page is escaped in pieces, because its strings would overflow the thread's heap. */
const pieceBytes = 2 ** 20

function toJsonString(utf8: Buffer): Buffer {
  // JSON escapes nothing above ASCII, so the bytes can be treated as Latin-1, which is faster.
  if (utf8.length <= pieceBytes) return toLatin1(JSON.stringify(utf8.toString('latin1')))
  const pieces: Buffer[] = [quote]
  let bytes = 0
  for (let from = 0; from < utf8.length; from += pieceBytes) {
    const text = JSON.stringify(utf8.toString('latin1', from, from + pieceBytes))
    bytes += text.length
    if (bytes > embeddedBytesMax) throw tooLargeAsJson()
    pieces.push(toLatin1(text).subarray(1, -1))
  }
  return Buffer.concat([...pieces, quote])
}

/** JSON writes a control character as six: without this limit 50 MiB of them would become 300. */
const embeddedBytesMax = 64 * 2 ** 20

const tooLargeAsJson = (): Failure =>
  new Failure('RESPONSE_TOO_LARGE', 'The response is too large when it is written as JSON.')

const quote = Buffer.from('"')

/** Allocates a buffer outside the shared pool, so that it can be transferred to another thread. */
function toLatin1(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(text.length)
  bytes.write(text, 'latin1')
  return bytes
}
