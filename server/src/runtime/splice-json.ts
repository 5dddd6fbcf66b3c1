/** A JSON text in pieces, in order: what is large is never copied only to stand inside something else. */
export type JsonPieces = readonly (Uint8Array | LatePiece)[]

/** A piece that is made slice by slice while it is written, and so is never there as a whole. */
export interface LatePiece {
  readonly byteLength: number
  slices(): Iterable<Uint8Array>
}

/**
 * A JSON object with one value that is JSON already. The fields before and after it are written as
 * usual, and what comes after may be such an object itself; the value is neither parsed nor written anew.
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

function closing(after: object | JsonPieces): JsonPieces {
  if (isPieces(after)) {
    const [first, ...others] = after
    // Whatever `spliceJson` has made begins with its own fields.
    return [Buffer.from(','), (first as Uint8Array).subarray(1), ...others]
  }
  const tail = JSON.stringify(after)
  return [Buffer.from(tail === '{}' ? '}' : `,${tail.slice(1)}`)]
}

const isPieces = (after: object | JsonPieces): after is JsonPieces => Array.isArray(after)

/** Bytes as base64: four for every three. */
export const base64Piece = (bytes: Uint8Array): LatePiece => ({
  byteLength: 4 * Math.ceil(bytes.byteLength / 3),
  *slices() {
    const { buffer, byteOffset, byteLength } = bytes
    for (let from = 0; from < byteLength; from += sliceBytes) {
      const slice = Buffer.from(buffer, byteOffset + from, Math.min(sliceBytes, byteLength - from))
      yield Buffer.from(slice.toString('base64'), 'latin1')
    }
  },
})

// A third of a millisecond each. A multiple of three, so that only the last one is filled up.
const sliceBytes = 3 * 2 ** 16

export const bytesOf = (pieces: JsonPieces): number =>
  pieces.reduce((sum, piece) => sum + piece.byteLength, 0)

/** All of it at once: for what is small. */
export const joined = (pieces: JsonPieces): Uint8Array =>
  Buffer.concat([...slicesOf(pieces)], bytesOf(pieces))

/** All of it in order, late pieces slice by slice. */
export function* slicesOf(pieces: JsonPieces): Generator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece
    else yield* piece.slices()
  }
}
