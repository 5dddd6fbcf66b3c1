interface CdpListener {
  onMessage(text: string): void
  /** Of a message with more bytes than we take only the beginning and the end are kept. */
  onTooLarge(beginning: string, end: string): void
}

/** Each has a byte or more, and so many bytes say whose answer or event a message is. */
const piecesKept = 64
const edgeBytes = 64

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
    this.#begun.push(piece)
    const isTooLarge = this.#begunBytes > this.#bytesMax
    const spare = this.#begun.length - 2 * piecesKept
    if (isTooLarge && spare > 0) this.#begun.splice(piecesKept, spare)
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
    else {
      const [beginning, end] = [bytes.subarray(0, edgeBytes), bytes.subarray(-edgeBytes)]
      this.#listener.onTooLarge(beginning.toString('latin1'), end.toString('latin1'))
    }
    this.#begun = []
    this.#begunBytes = 0
  }
}
