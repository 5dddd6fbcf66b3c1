import { catalogue, type DataOrder, fieldsOf, LazyPage } from './catalogue.ts'
import {
  emptyMetadata,
  noContent,
  type OtherContent,
  presentOther,
} from './content/other-content.ts'
import { type PageLinks, readLinks } from './dom/links.ts'
import { toJsonObject, toJsonString } from './json-text.ts'

/** A target's response, as far as it is decoded. */
type DecodedResponse =
  /** `html` is what the caller gets, perhaps minified. */
  | { kind: 'html' | 'json' | 'text' | 'xml'; utf8: Buffer; html: Buffer }
  | { kind: 'pdf' | 'binary'; bytes: Uint8Array }

type JsonField = readonly [name: string, json: Uint8Array]

interface PresentedData {
  /** JSON; `html` and `markdown` are always there. */
  bytes: Buffer
  /** Only of a page of a crawl. */
  links?: PageLinks
}

/** The `data` of an extraction. */
export async function presentData(
  order: DataOrder,
  response: DecodedResponse,
): Promise<PresentedData> {
  const page =
    response.kind === 'html' ? new LazyPage(response.utf8.toString('utf8'), order) : undefined
  const fields = new Map<string, Uint8Array>([
    ['html', jsonNull],
    ['markdown', jsonNull],
  ])
  for (const [name, json] of await fieldsFrom(order, response, page)) fields.set(name, json)
  const bytes = toJsonObject([...fields])
  const { robotsTags } = order
  return page && robotsTags ? { bytes, links: readLinks(page.parsed, robotsTags) } : { bytes }
}

const jsonNull = Buffer.from('null')

async function fieldsFrom(
  order: DataOrder,
  response: DecodedResponse,
  page: LazyPage | undefined,
): Promise<JsonField[]> {
  if (response.kind === 'html') return page ? pageFields(page, response.html) : []
  switch (response.kind) {
    case 'pdf':
      return pdfFields(order, response.bytes)
    case 'binary':
      return otherFields(order, noContent)
    case 'text':
      return otherFields(
        withText(order),
        presentOther('text', response.utf8.toString('utf8'), order.url),
      )
    default: {
      const { kind, utf8 } = response
      const fields = otherFields(order, presentOther(kind, utf8.toString('utf8'), order.url))
      // As the target wrote it, so that long numbers keep their digits.
      return kind === 'json' ? [...fields, ['json', utf8]] : fields
    }
  }
}

function pageFields(page: LazyPage, html: Buffer): JsonField[] {
  const { order } = page
  return [
    ...(order.formats.includes('html') ? [['html', toJsonString(html)] as const] : []),
    ...fieldsOf(order).map((field) => [field, toJson(catalogue[field](page))] as const),
  ]
}

/** Rules describe markup, so they find nothing in other content. */
function otherFields(order: DataOrder, content: OtherContent): JsonField[] {
  const fields = { ...content, extracted: null }
  const html = order.formats.includes('html') ? (['html'] as const) : []
  return [...html, ...fieldsOf(order)].map((field) => [field, toJson(fields[field])] as const)
}

/** Text that has no HTML is always returned, as a caller who asked for HTML alone would get nothing. */
const withText = (order: DataOrder): DataOrder =>
  order.formats.includes('text') || order.formats.includes('markdown')
    ? order
    : { ...order, formats: [...order.formats, 'text'] }

async function pdfFields(order: DataOrder, bytes: Uint8Array): Promise<JsonField[]> {
  // Few tasks need it, and it takes 30 MB.
  const { readPdf } = await import('./pdf/read-pdf.ts')
  const { pageCount, isCut, metadata, ...content } = await readPdf(bytes, order.url)
  const fields = { html: null, ...content, metadata: { ...emptyMetadata, ...metadata } }
  const pdf = { page_count: pageCount, is_truncated: isCut }
  return [...otherFields(withText(order), fields), ['pdf', toJson(pdf)]]
}

const toJson = (value: unknown): Uint8Array =>
  typeof value === 'string' ? toJsonString(Buffer.from(value)) : Buffer.from(JSON.stringify(value))
