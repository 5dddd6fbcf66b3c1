import { isUtf8 } from 'node:buffer'
import { getEncoding } from 'encoding-sniffer'

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

/** The charset is that of the byte order mark, else the header's, else the markup's, else a guess. */
export function toUtf8(bytes: Uint8Array, contentType: string | undefined): Utf8Text {
  const isValidUtf8 = isUtf8(bytes)
  const likely = isValidUtf8 ? 'utf-8' : 'windows-1252'
  const label = contentType === undefined ? undefined : charsetIn(contentType)
  const charset = getEncoding(bytes, {
    maxBytes: isMarkup(contentType) ? prescanBytes : byteOrderMarkBytes,
    defaultEncoding: isMarkup(contentType) ? likely : 'utf-8',
    ...(label !== undefined && { transportLayerEncodingLabel: label }),
  }).toLowerCase()

  if (isValidUtf8 && charset === 'utf-8') {
    return { bytes: withoutByteOrderMark(bytes), charset, hasReplacements: false }
  }
  return decode(bytes, createDecoder(charset) ?? new TextDecoder(likely))
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

const withoutByteOrderMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
