interface CdpListener {
  onMessage(text: string): void
  /** Of a message with more bytes than we take only the beginning is kept. */
  onTooLarge(beginning: string): void
}

/** Each has a byte or more, and so many bytes say whose answer a message is. */
const piecesKept = 32
const beginningBytes = 32

/** Cuts the stream of the pipe into messages: JSON, each followed by a NUL. */
export class CdpMessages {
  readonly #listener: CdpListener
  readonly #bytesMax: number
  #begun: Buffer[] = []
  #begunBytes = 0

  constructor(listener: CdpListener, { bytesMax }: { bytesMax: number }) {
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
    this.#begunBytes += piece.length
    const isTooLarge = this.#begunBytes > this.#bytesMax
    if (isTooLarge && this.#begun.length >= piecesKept) this.#begun.length = piecesKept
    else this.#begun.push(piece)
  }

  #finish(last: Buffer): void {
    if (this.#begunBytes === 0) {
      this.#listener.onMessage(last.toString('utf8'))
      return
    }
    this.#keep(last)
    // An image comes in hundreds of pieces, which are joined once.
    const bytes = Buffer.concat(this.#begun)
    if (this.#begunBytes <= this.#bytesMax) this.#listener.onMessage(bytes.toString('utf8'))
    else this.#listener.onTooLarge(bytes.toString('latin1', 0, beginningBytes))
    this.#begun = []
    this.#begunBytes = 0
  }
}
