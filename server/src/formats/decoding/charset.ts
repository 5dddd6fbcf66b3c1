import { isUtf8 } from 'node:buffer'
import { getEncoding } from 'encoding-sniffer'
import { guessCharset } from './guess-charset.ts'
import { withoutByteOrderMark } from './without-byte-order-mark.ts'

export interface Utf8Text {
  /** Valid UTF-8 without a byte order mark. May share memory with the input. */
  bytes: Uint8Array
  /** The charset of the input. */
  charset: string
  /** Some bytes were not valid in that charset and became U+FFFD. */
  hasReplacements: boolean
}

/** The HTML standard's prescan ends here; JSON and the like have a byte order mark at most. */
const prescanBytes = 1_024
const byteOrderMarkBytes = 3
/** Browsers find a declaration further down too, when they read on, so it is searched for there. */
const latePrescanBytes = 64 * 1024

/**
 * The charset is that of the byte order mark, else the header's, else the markup's, else a guess by the
 * content, which is made only where nothing is declared and the text is not UTF-8. A declaration wins
 * over the bytes, as it does in browsers, with one exception: a header that says UTF-8 is often the
 * server's default, so where the bytes are not UTF-8 and the markup names the charset in which they
 * are valid, the markup is believed.
 */
export function toUtf8(bytes: Uint8Array, contentType: string | undefined): Utf8Text {
  const isValidUtf8 = isUtf8(bytes)
  const charset = isMarkup(contentType)
    ? charsetOfMarkup(bytes, contentType, isValidUtf8)
    : (declaredCharset(bytes, contentType, byteOrderMarkBytes) ??
      charsetOfPlainText(bytes, contentType, isValidUtf8))

  if (isValidUtf8 && charset === 'utf-8') {
    return { bytes: withoutByteOrderMark(bytes), charset, hasReplacements: false }
  }
  const likely = isValidUtf8 ? 'utf-8' : 'windows-1252'
  return decode(bytes, createDecoder(charset) ?? new TextDecoder(likely))
}

function charsetOfMarkup(
  bytes: Uint8Array,
  contentType: string | undefined,
  isValidUtf8: boolean,
): string {
  const declared = declaredCharset(bytes, contentType, prescanBytes)
  if (isValidUtf8) return declared ?? utf16WithoutMark(bytes) ?? 'utf-8'
  if (declared === 'utf-8' || declared === undefined) {
    const inMarkup = declaredCharset(bytes, undefined, latePrescanBytes)
    if (inMarkup !== undefined && (declared === undefined || isValidIn(inMarkup, bytes))) {
      return inMarkup
    }
  }
  return declared ?? utf16WithoutMark(bytes) ?? guessCharset(bytes)
}

/** JSON is always UTF-8 (RFC 8259), and so is whatever is no text; plain text may be anything. */
function charsetOfPlainText(
  bytes: Uint8Array,
  contentType: string | undefined,
  isValidUtf8: boolean,
): string {
  if (isValidUtf8 || !/^\s*text\//i.test(contentType ?? '')) return 'utf-8'
  return utf16WithoutMark(bytes) ?? guessCharset(bytes)
}

/** Undefined where neither a byte order mark nor the header nor the markup names a known charset. */
function declaredCharset(
  bytes: Uint8Array,
  contentType: string | undefined,
  maxBytes: number,
): string | undefined {
  const label = contentType === undefined ? undefined : charsetIn(contentType)
  // The library always answers, so two defaults show whether the answer is only the default.
  const [first, second] = ['macintosh', 'ibm866'].map((defaultEncoding) =>
    getEncoding(bytes, {
      maxBytes,
      defaultEncoding,
      ...(label !== undefined && { transportLayerEncodingLabel: label }),
    }).toLowerCase(),
  )
  return first === second ? first : undefined
}

/** In UTF-16 the tags of a page have a zero in every second byte, and no other charset has zeros. */
function utf16WithoutMark(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, 512)
  const zeros = [0, 0]
  sample.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  })
  const [even = 0, odd = 0] = zeros
  const isEveryOther = Math.min(even, odd) === 0 && Math.max(even, odd) * 5 >= sample.length
  if (sample.length === 0 || !isEveryOther) return undefined
  return odd > even ? 'utf-16le' : 'utf-16be'
}

function isValidIn(charset: string, bytes: Uint8Array): boolean {
  const decoder = createDecoder(charset)
  return decoder !== undefined && charset !== 'utf-8' && !decode(bytes, decoder).hasReplacements
}

/** Texts are decoded in pieces, because the strings of a large one would overflow the thread's heap. */
const pieceBytes = 2 ** 20

function decode(bytes: Uint8Array, decoder: InstanceType<typeof TextDecoder>): Utf8Text {
  const pieces: Buffer[] = []
  let hasReplacements = false
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    const to = from + pieceBytes
    const text = decoder.decode(bytes.subarray(from, to), { stream: to < bytes.length })
    hasReplacements ||= text.includes('\uFFFD')
    pieces.push(Buffer.from(text))
  }
  return { bytes: Buffer.concat(pieces), charset: decoder.encoding, hasReplacements }
}

const charsetIn = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]

/** Only markup can declare its own charset; in JSON such a declaration is part of the data. */
const isMarkup = (contentType: string | undefined): boolean =>
  contentType === undefined || /^\s*($|[^;]*(html|xml))/i.test(contentType)

/** Undefined for the standard's charset `replacement`, which stands for unsafe charsets. */
function createDecoder(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
