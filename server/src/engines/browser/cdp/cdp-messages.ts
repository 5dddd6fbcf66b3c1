interface MessageListener {
  onMessage(text: string): void
  /** A message of more bytes than its kind may have: only its beginning and its end are kept. */
  onTooLarge(beginning: string, end: string, bytes: number): void
}

interface MessageLimits {
  /** Of the answer to a command, which was asked for. */
  answerBytesMax: number
  /** Of an event, which a page may make as large and as often as it likes. */
  eventBytesMax: number
}

/** Enough of an oversized message to read its session; each piece has at least a byte. */
const piecesKept = 64
const edgeBytes = 64
const answerStart = '{"id":'

/** Splits the byte stream of the pipe into messages: JSON, each followed by a NUL. */
export class CdpMessages {
  readonly #listener: MessageListener
  readonly #limits: MessageLimits
  #beginning = ''
  #pieces: Buffer[] = []
  #bytes = 0

  constructor(listener: MessageListener, limits: MessageLimits) {
    this.#listener = listener
    this.#limits = limits
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

  get #isTooLarge(): boolean {
    const { answerBytesMax, eventBytesMax } = this.#limits
    return this.#bytes > (this.#beginning.startsWith(answerStart) ? answerBytesMax : eventBytesMax)
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length
    this.#pieces.push(piece)
    const missing = edgeBytes - this.#beginning.length
    if (missing > 0) this.#beginning += piece.toString('latin1', 0, missing)
    const spare = this.#pieces.length - piecesKept
    if (this.#isTooLarge && spare > 0) this.#pieces.splice(0, spare)
  }

  #finish(last: Buffer): void {
    if (this.#bytes === 0 && last.length <= this.#limits.eventBytesMax) {
      this.#listener.onMessage(last.toString('utf8'))
      return
    }
    this.#keep(last)
    const isTooLarge = this.#isTooLarge
    // An image arrives in hundreds of pieces, so they are joined only once.
    const bytes = Buffer.concat(this.#pieces)
    const [beginning, size] = [this.#beginning, this.#bytes]
    this.#beginning = ''
    this.#pieces = []
    this.#bytes = 0
    if (isTooLarge) {
      this.#listener.onTooLarge(beginning, bytes.toString('latin1', bytes.length - edgeBytes), size)
    } else this.#listener.onMessage(bytes.toString('utf8'))
  }
}
