import { withoutByteOrderMark } from '../decoding/without-byte-order-mark.ts'
import { isJson } from '../is-json.ts'
import { imageSignatures } from './image-type.ts'

/** What a response is, which decides what each format makes of it. */
export type ContentKind = 'html' | 'json' | 'text' | 'xml' | 'pdf' | 'image' | 'binary'

/** As many bytes as browsers look at to find out what a resource is. */
const sniffedBytes = 1_445

/**
 * What a decoded response is: by its first bytes where they are the signature of a format, else by its
 * media type, and by its content where the type is missing, says nothing or is known to be often wrong.
 * It follows the MIME Sniffing standard, and goes beyond it where servers mislabel APIs, feeds and files.
 */
export function contentKind(contentType: string | undefined, bytes: Uint8Array): ContentKind {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, sniffedBytes))
  const type = mediaType(contentType)
  const signed = kindBySignature(start)
  if (signed) return signed
  const declared = kindByType(type)
  if (declared === 'html') return correctedHtml(start, bytes)
  if (declared === 'json') return isJson(withoutByteOrderMark(bytes)) ? 'json' : sniff(start, bytes)
  if (declared === 'text') return isBinary(start) ? 'binary' : 'text'
  if (declared === 'pdf') return isMarkup(start) ? 'html' : 'pdf'
  return declared ?? sniff(start, bytes)
}

/**
 * Whether a response that is still encoded is to be presented in the process for PDFs: by its type, by
 * its signature, or because it is compressed and its type says nothing.
 */
export function looksLikePdf(
  { 'content-type': type, 'content-encoding': encoding }: Record<string, string | undefined>,
  body: Uint8Array,
): boolean {
  const declared = kindByType(mediaType(type))
  const isSigned = pdfSignature.every((byte, at) => body[at] === byte)
  return declared === 'pdf' || isSigned || (declared === undefined && encoding !== undefined)
}

const pdfSignature = Buffer.from('%PDF-')

/** The type without its parameters, in lower case; empty where there is none. */
const mediaType = (contentType: string | undefined): string =>
  (contentType ?? '').split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? ''

const signatures: (readonly [kind: ContentKind, offset: number, bytes: string])[] = [
  ['pdf', 0, '%PDF-'],
  ...imageSignatures.map(([, offset, bytes]) => ['image', offset, bytes] as const),
  ['image', 4, 'ftypheic'],
  ['image', 0, 'II*\0'],
  ['image', 0, 'MM\0*'],
  ['image', 0, '\0\0\x01\0'],
  ['binary', 0, 'PK\x03\x04'],
  ['binary', 0, '\x1f\x8b\x08'],
  ['binary', 0, 'Rar!\x1a\x07'],
  ['binary', 0, '7z\xbc\xaf\x27\x1c'],
  ['binary', 0, 'BZh91AY'],
  ['binary', 0, '\xfd7zXZ\0'],
  ['binary', 0, '(\xb5/\xfd'],
  ['binary', 0, '\0asm'],
  ['binary', 0, 'OggS\0'],
  ['binary', 0, 'ID3'],
  ['binary', 0, 'fLaC'],
  ['binary', 0, '\x1aE\xdf\xa3'],
  ['binary', 4, 'ftyp'],
  ['binary', 8, 'WAVE'],
  ['binary', 8, 'AVI '],
  ['binary', 0, 'wOFF'],
  ['binary', 0, 'wOF2'],
  ['binary', 0, '\x7fELF'],
  ['binary', 0, 'SQLite format 3\0'],
  ['binary', 0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
]

/** No text that a reader wants begins like this, so the signature wins over any declared type. */
function kindBySignature(start: Buffer): ContentKind | undefined {
  const text = start.toString('latin1', 0, 64)
  return signatures.find(([, offset, bytes]) => text.startsWith(bytes, offset))?.[0]
}

const typeRules: [pattern: RegExp, kind: ContentKind][] = [
  [/^(?:text\/html|application\/xhtml\+xml)$/, 'html'],
  [/^image\//, 'image'],
  [/^(?:application|text)\/(?:x-)?json$|\+json$/, 'json'],
  [/^(?:application|text)\/xml$|\+xml$|^application\/(?:rss|atom)$/, 'xml'],
  [/^application\/(?:x-)?pdf$/, 'pdf'],
  [/^text\//, 'text'],
  [
    /^application\/(?:(?:x-)?(?:java|ecma)script|(?:x-)?yaml|(?:x-)?ndjson|jsonl|sql|graphql|toml|x-sh|x-subrip|rtf|x-tex)$/,
    'text',
  ],
  [/^(?:audio|video|font|model)\//, 'binary'],
  [
    /^application\/(?:zip|gzip|x-(?:tar|gzip|bzip2|7z-compressed|rar-compressed)|wasm|msword|epub\+zip|vnd\..+)$/,
    'binary',
  ],
]

const kindByType = (type: string): ContentKind | undefined =>
  typeRules.find(([pattern]) => pattern.test(type))?.[1]

/** Feeds and APIs are often sent as `text/html`. */
function correctedHtml(start: Buffer, bytes: Uint8Array): ContentKind {
  const text = textOf(start)
  if (isFeedStart(text)) return 'xml'
  if (/^[{[]/.test(text) && isJson(withoutByteOrderMark(bytes))) return 'json'
  return 'html'
}

/** For a missing type, `application/octet-stream` and types that nobody knows. */
function sniff(start: Buffer, bytes: Uint8Array): ContentKind {
  const text = textOf(start)
  if (/^<\?xml[\s?]/i.test(text)) return /<html[\s>]/i.test(text) ? 'html' : 'xml'
  if (isFeedStart(text)) return 'xml'
  if (isMarkup(start)) return 'html'
  if (isBinary(start)) return 'binary'
  if (/^[{["\d-]/.test(text) && isJson(withoutByteOrderMark(bytes))) return 'json'
  return 'text'
}

/** The start of tags that the standard takes as a sign of HTML. */
const htmlStart =
  /^(?:<!doctype html|<(?:html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta|link|svg)[\s>/]|<!--)/i

const isMarkup = (start: Buffer): boolean => htmlStart.test(textOf(start))

const isFeedStart = (text: string): boolean =>
  /^(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,500}?-->\s*)*<(?:rss|feed|rdf:RDF|urlset|sitemapindex)[\s>]/s.test(
    text,
  )

/** The text of the start, whatever its charset: UTF-16 has a zero in every second byte. */
const textOf = (start: Buffer): string =>
  start
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*/, '')

/** Control characters that occur in no text; zeros do in UTF-16, which has a byte order mark mostly. */
function isBinary(start: Buffer): boolean {
  const isMarked = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/.test(start.toString('latin1', 0, 3))
  if (isMarked) return false
  return start.some(
    (byte) =>
      byte <= 8 ||
      byte === 0x0b ||
      (byte >= 0x0e && byte <= 0x1a) ||
      (byte >= 0x1c && byte <= 0x1f),
  )
}
