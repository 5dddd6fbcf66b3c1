import {
  brotliDecompressSync,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
  type ZstdOptions,
  zstdDecompressSync,
} from 'node:zlib'
import { Failure } from '../../domain/failure.ts'

const encodingsMax = 2
const decodedBytesMax = 50 * 2 ** 20
/** A decompression bomb is refused: up to this size any ratio is allowed, beyond it only `ratioMax`. */
const freeBytes = 2 ** 20
const ratioMax = 200

/** Undoes the encodings of `content-encoding`, the last one first. It blocks: call it in a thread, or with a small limit. */
export function decodeBody(
  body: Uint8Array,
  contentEncoding: string | undefined,
  sizeMax = decodedBytesMax,
): Uint8Array {
  const encodings = listEncodings(contentEncoding)
  if (encodings.length > encodingsMax) {
    throw new Failure('BAD_RESPONSE', `The response is encoded more than ${encodingsMax} times.`)
  }
  // The ratio counts from the bytes on the wire: layer by layer, two would allow it squared.
  const bytesMax = Math.min(sizeMax, Math.max(freeBytes, ratioMax * body.byteLength))
  return encodings.reduceRight((bytes, encoding) => undo(encoding, bytes, bytesMax), body)
}

function listEncodings(contentEncoding: string | undefined): string[] {
  if (contentEncoding === undefined) return []
  return contentEncoding
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '' && encoding !== 'identity')
}

type Decoder = (bytes: Uint8Array, limits: { maxOutputLength: number }) => Uint8Array

const decoders = new Map<string, Decoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  ['br', brotliDecompressSync],
  ['zstd', unzstd],
])

function undo(encoding: string, bytes: Uint8Array, bytesMax: number): Uint8Array {
  const decoder = decoders.get(encoding)
  if (!decoder) {
    throw new Failure('BAD_RESPONSE', 'The response has a content encoding that is not supported.')
  }
  // Some servers name an encoding without sending a body; browsers accept that too.
  if (bytes.byteLength === 0) return bytes
  try {
    return decoder(bytes, { maxOutputLength: bytesMax })
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new Failure('RESPONSE_TOO_LARGE', 'The response is too large when it is decoded.')
    }
    throw new Failure('BAD_RESPONSE', `The response cannot be decoded as ${encoding}.`, {
      cause: error,
    })
  }
}

const chunkBytesMin = 2 ** 14
const chunkBytesMax = 2 ** 20

function gunzip(bytes: Uint8Array, limits: { maxOutputLength: number }): Uint8Array {
  // The trailer holds the decoded size: one chunk of that size saves joining several.
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const claimed = bytes.byteLength < 4 ? 0 : view.getUint32(bytes.byteLength - 4, true)
  const chunkSize = Math.min(chunkBytesMax, Math.max(chunkBytesMin, claimed + 1))
  return gunzipSync(bytes, { ...limits, chunkSize })
}

const framesMax = 1_000

/** Decodes every frame: a body may have several, and Node's function silently stops after one. */
function unzstd(bytes: Uint8Array, limits: { maxOutputLength: number }): Uint8Array {
  const frames: Uint8Array[] = []
  let bytesLeft = limits.maxOutputLength
  for (let from = 0; from < bytes.byteLength; ) {
    if (frames.length === framesMax) throw new Error('There are too many frames.')
    // Zlib does not accept a limit of 0.
    const options = { maxOutputLength: Math.max(bytesLeft, 1), info: true } as ZstdOptions
    const decoded: unknown = zstdDecompressSync(bytes.subarray(from), options)
    const { buffer, engine } = decoded as { buffer: Buffer; engine: { bytesWritten: number } }
    if (engine.bytesWritten === 0) throw new Error('There is no frame.')
    frames.push(buffer)
    from += engine.bytesWritten
    bytesLeft -= buffer.byteLength
  }
  const [only] = frames
  return only && frames.length === 1 ? only : Buffer.concat(frames)
}

/** `deflate` is zlib's format by the standard, but many servers send it without zlib's header. */
function inflate(bytes: Uint8Array, limits: ZlibOptions): Uint8Array {
  const [first = 0, second = 0] = bytes
  const hasZlibHeader = (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
  return hasZlibHeader ? inflateSync(bytes, limits) : inflateRawSync(bytes, limits)
}
