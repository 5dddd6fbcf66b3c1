import { Failure } from '../domain/failure.ts'
import { Turns } from '../runtime/turns.ts'

/** More than any request needs: each value takes time to parse and to validate, on the event loop. */
const valuesMax = 20_000
/** An escape, such as `\n`, takes ten times as long to parse as a plain character. */
const escapesMax = 200_000

const pieceBytes = 2 ** 16

/** Refuses a body whose JSON would keep the event loop for long. This takes turns itself. */
export async function requireModestJson(body: Buffer): Promise<void> {
  // A value takes two bytes at least, itself and a comma.
  if (body.length <= 2 * valuesMax) return
  const counter = new JsonCounter()
  const turns = new Turns()
  for (let start = 0; start < body.length; start += pieceBytes) {
    counter.add(body.subarray(start, start + pieceBytes))
    if (counter.values > valuesMax) throw tooMany(valuesMax, 'JSON values')
    if (counter.escapes > escapesMax) throw tooMany(escapesMax, 'escapes in its strings')
    if (turns.isOver) await turns.next()
  }
}

const tooMany = (max: number, things: string) =>
  new Failure('PAYLOAD_TOO_LARGE', `A body may have ${max} ${things} at most. Send less at once.`)

const [quote, backslash, comma, space] = bytesOf('"\\, ')
const [listStart, listEnd, objectStart, objectEnd] = bytesOf('[]{}')

function bytesOf(characters: string): [number, number, number, number] {
  return [...Buffer.from(characters)] as ReturnType<typeof bytesOf>
}

/** Counts the values of JSON text that arrives in pieces, without parsing it. */
export class JsonCounter {
  values = 1
  escapes = 0
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
    let at = from
    for (; at < piece.length && piece[at] !== quote; at += 1) {
      const byte = piece[at] as number
      if (byte <= space) continue
      const isStart = byte === listStart || byte === objectStart
      if (isStart || byte === comma) values += 1
      else if (isEmpty && (byte === listEnd || byte === objectEnd)) values -= 1
      isEmpty = isStart
    }
    this.values = values
    this.#isInString = at < piece.length
    this.#isEmpty = isEmpty && !this.#isInString
    return at + 1
  }
}
