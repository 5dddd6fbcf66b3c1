const [quote, backslash, comma, space] = bytesOf('"\\, ')
const [listStart, listEnd, objectStart, objectEnd] = bytesOf('[]{}')

function bytesOf(characters: string): [number, number, number, number] {
  return [...Buffer.from(characters)] as ReturnType<typeof bytesOf>
}

/** Counts the values of JSON text, and how deep they are nested, that arrives in pieces, without parsing it. */
export class JsonCounter {
  values = 1
  escapes = 0
  /** How many lists and objects begin inside each other, at most. */
  depthMax = 0
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** Whether a list or an object has begun and shows nothing yet: an empty one has no value. */
  #isEmpty = false

  add(piece: Uint8Array): void {
    let at = 0
    while (at < piece.length) {
      at = this.#isInString ? this.#skipString(piece, at) : this.#countOutside(piece, at)
    }
  }

  /** Returns the place after the string, or the end of the piece. */
  #skipString(piece: Uint8Array, from: number): number {
    let at = this.#isEscaped ? from + 1 : from
    let escapes = 0
    while (at < piece.length && piece[at] !== quote) {
      if (piece[at] === backslash) {
        escapes += 1
        at += 1
      }
      at += 1
    }
    this.escapes += escapes
    this.#isEscaped = at > piece.length
    this.#isInString = at >= piece.length
    return at + 1
  }

  /** Returns the place where a string begins, or the end of the piece. */
  #countOutside(piece: Uint8Array, from: number): number {
    let values = this.values
    let isEmpty = this.#isEmpty
    let depth = this.#depth
    let at = from
    for (; at < piece.length && piece[at] !== quote; at += 1) {
      const byte = piece[at] as number
      if (byte <= space) continue
      const isStart = byte === listStart || byte === objectStart
      if (isStart) {
        values += 1
        depth += 1
        if (depth > this.depthMax) this.depthMax = depth
      } else if (byte === comma) values += 1
      else if (byte === listEnd || byte === objectEnd) {
        depth -= 1
        if (isEmpty) values -= 1
      }
      isEmpty = isStart
    }
    this.values = values
    this.#depth = depth
    this.#isInString = at < piece.length
    this.#isEmpty = isEmpty && !this.#isInString
    return at + 1
  }
}
