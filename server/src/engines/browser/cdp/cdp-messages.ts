interface MessageListener {
  onMessage(text: string): void
  /** A message of more than `bytesMax`: only its beginning and its end are kept. */
  onTooLarge(beginning: string, end: string): void
}

/** Enough of an oversized message to read its ids; each piece has at least a byte. */
const piecesKept = 64
const edgeBytes = 64

/** Splits the byte stream of the pipe into messages: JSON, each followed by a NUL. */
export class CdpMessages {
  readonly #listener: MessageListener
  readonly #bytesMax: number
  #pieces: Buffer[] = []
  #piecesBytes = 0

  constructor(listener: MessageListener, { bytesMax }: { bytesMax: number }) {
    this.#listener = listener
    this.#bytesMax = bytesMax
  }

  add(chunk: Buffer): void {
    let from = 0
    for (;;) {
      const end = chunk.indexOf(0, from)
      if (end === -1) break
      this.#finish(chunk.subarray(from, end))
      from = end + 1
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from))
  }

  #keep(piece: Buffer): void {
    this.#piecesBytes += piece.length
    this.#pieces.push(piece)
    const isTooLarge = this.#piecesBytes > this.#bytesMax
    const spare = this.#pieces.length - 2 * piecesKept
    if (isTooLarge && spare > 0) this.#pieces.splice(piecesKept, spare)
  }

  #finish(last: Buffer): void {
    if (this.#piecesBytes === 0) {
      this.#listener.onMessage(last.toString('utf8'))
      return
    }
    this.#keep(last)
    // An image arrives in hundreds of pieces, so they are joined only once.
    const bytes = Buffer.concat(this.#pieces)
    if (this.#piecesBytes <= this.#bytesMax) this.#listener.onMessage(bytes.toString('utf8'))
    else {
      const [beginning, end] = [bytes.subarray(0, edgeBytes), bytes.subarray(-edgeBytes)]
      this.#listener.onTooLarge(beginning.toString('latin1'), end.toString('latin1'))
    }
    this.#pieces = []
    this.#piecesBytes = 0
  }
}
