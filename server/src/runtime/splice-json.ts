/** A JSON text in pieces, in order: what is large is never copied only to stand inside something else. */
export type JsonPieces = readonly Uint8Array[]

/**
 * A JSON object with one value that is JSON already. The fields before and after it are written as
 * usual; the value is neither parsed nor written anew.
 */
export function spliceJson(
  before: object,
  name: string,
  value: JsonPieces,
  after: object = {},
): JsonPieces {
  const head = JSON.stringify(before)
  const tail = JSON.stringify(after)
  const opening = `${head === '{}' ? '{' : `${head.slice(0, -1)},`}${JSON.stringify(name)}:`
  const closing = tail === '{}' ? '}' : `,${tail.slice(1)}`
  return [Buffer.from(opening), ...value, Buffer.from(closing)]
}

export const bytesOf = (pieces: JsonPieces): number =>
  pieces.reduce((sum, piece) => sum + piece.byteLength, 0)
