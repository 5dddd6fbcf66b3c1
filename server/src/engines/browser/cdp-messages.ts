/** Cuts the stream of the pipe into messages: JSON, each followed by a NUL. */
export class CdpMessages {
  readonly #onMessage: (text: string) => void
  #begun: Buffer[] = []

  constructor(onMessage: (text: string) => void) {
    this.#onMessage = onMessage
  }

  add(chunk: Buffer): void {
    let from = 0
    for (;;) {
      const end = chunk.indexOf(0, from)
      if (end === -1) break
      this.#onMessage(this.#whole(chunk.subarray(from, end)))
      from = end + 1
    }
    // An image comes in hundreds of pieces, which are joined once.
    if (from < chunk.length) this.#begun.push(chunk.subarray(from))
  }

  #whole(last: Buffer): string {
    if (this.#begun.length === 0) return last.toString('utf8')
    const text = Buffer.concat([...this.#begun, last]).toString('utf8')
    this.#begun = []
    return text
  }
}
