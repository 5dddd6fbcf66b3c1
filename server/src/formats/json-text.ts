import { Failure } from '../domain/failure.ts'

/** A large text is escaped in pieces, because its strings would overflow the thread's heap. */
const pieceBytes = 2 ** 20

/** The JSON of a text that is given as UTF-8. */
export function toJsonString(utf8: Buffer): Buffer {
  // JSON escapes nothing above ASCII, so the bytes can be treated as Latin-1, which is faster.
  if (utf8.length <= pieceBytes) return toLatin1(JSON.stringify(utf8.toString('latin1')))
  const pieces: Buffer[] = [quote]
  let bytes = 0
  for (let from = 0; from < utf8.length; from += pieceBytes) {
    const text = JSON.stringify(utf8.toString('latin1', from, from + pieceBytes))
    bytes += text.length
    requireEmbeddable(bytes)
    pieces.push(toLatin1(text).subarray(1, -1))
  }
  return Buffer.concat([...pieces, quote])
}

/** The JSON of an object whose values are JSON already. */
export function toJsonObject(
  fields: readonly (readonly [name: string, json: Uint8Array])[],
): Buffer {
  const pieces: Uint8Array[] = []
  for (const [name, json] of fields) {
    pieces.push(Buffer.from(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`), json)
  }
  if (pieces.length === 0) pieces.push(Buffer.from('{'))
  pieces.push(Buffer.from('}'))
  requireEmbeddable(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0))
  return Buffer.concat(pieces)
}

/** JSON writes a control character as six: without this limit 50 MiB of them would become 300. */
const embeddedBytesMax = 64 * 2 ** 20

function requireEmbeddable(bytes: number): void {
  if (bytes <= embeddedBytesMax) return
  throw new Failure('RESPONSE_TOO_LARGE', 'The response is too large when it is written as JSON.')
}

const quote = Buffer.from('"')

/** Allocates a buffer outside the shared pool, so that it can be transferred to another thread. */
function toLatin1(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(text.length)
  bytes.write(text, 'latin1')
  return bytes
}
