/** A JSON text in pieces, in order, so that large values are embedded without a copy. */
export type JsonPieces = readonly (Uint8Array | LazyPiece)[]

/** A piece that is generated in slices while it is written, so it is never in memory as a whole. */
export interface LazyPiece {
  readonly byteLength: number
  slices(): Iterable<Uint8Array>
}

/**
 * Builds a JSON object around one value that is JSON already, which is neither parsed nor serialised again.
 * `after` may itself be a result of `spliceJson`.
 */
export function spliceJson(
  before: object,
  name: string,
  value: JsonPieces,
  after: object | JsonPieces = {},
): JsonPieces {
  const head = JSON.stringify(before)
  const opening = `${head === '{}' ? '{' : `${head.slice(0, -1)},`}${JSON.stringify(name)}:`
  return [Buffer.from(opening), ...value, ...closing(after)]
}

/** Adds fields to an object that is JSON already and has some. */
export const extendJson = (object: Uint8Array, after: object | JsonPieces): JsonPieces => [
  object.subarray(0, -1),
  ...closing(after),
]

function closing(after: object | JsonPieces): JsonPieces {
  if (isPieces(after)) {
    const [first, ...others] = after
    // The first piece of a `spliceJson` result is never lazy, and starts with `{`.
    return [Buffer.from(','), (first as Uint8Array).subarray(1), ...others]
  }
  const tail = JSON.stringify(after)
  return [Buffer.from(tail === '{}' ? '}' : `,${tail.slice(1)}`)]
}

const isPieces = (after: object | JsonPieces): after is JsonPieces => Array.isArray(after)

/** Bytes as base64: four characters for three bytes. */
export const base64Piece = (bytes: Uint8Array): LazyPiece => ({
  byteLength: 4 * Math.ceil(bytes.byteLength / 3),
  *slices() {
    const { buffer, byteOffset, byteLength } = bytes
    for (let from = 0; from < byteLength; from += sliceBytes) {
      const slice = Buffer.from(buffer, byteOffset + from, Math.min(sliceBytes, byteLength - from))
      yield Buffer.from(slice.toString('base64'), 'latin1')
    }
  },
})

// Encoding takes a third of a millisecond. A multiple of three, so that only the last has padding.
const sliceBytes = 3 * 2 ** 16

export const bytesOf = (pieces: JsonPieces): number =>
  pieces.reduce((sum, piece) => sum + piece.byteLength, 0)

/** The whole text in one buffer, for small texts. */
export const joined = (pieces: JsonPieces): Uint8Array =>
  Buffer.concat([...slicesOf(pieces)], bytesOf(pieces))

/** The whole text in order, lazy pieces slice by slice. */
export function* slicesOf(pieces: JsonPieces): Generator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece
    else yield* piece.slices()
  }
}
