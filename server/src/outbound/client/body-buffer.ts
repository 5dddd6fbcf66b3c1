/** The largest block: also the most that is allocated at once because of a Content-Length. */
const blockBytesMax = 1_048_576
const firstBytes = 16_384

/**
 * Collects a body in blocks: a body in a million pieces of one byte must not be a million objects, and one
 * buffer that doubles would copy a large body several times, also one that turns out to be too large.
 */
export class BodyBuffer {
  length = 0
  readonly #full: Buffer[] = []
  #block: Buffer
  #blockLength = 0

  constructor(expectedBytes: number | undefined) {
    this.#block = allocate(Math.min(expectedBytes ?? firstBytes, blockBytesMax))
  }

  add(piece: Uint8Array): void {
    let added = 0
    while (added < piece.length) {
      if (this.#blockLength === this.#block.length) this.#startBlock()
      const part = piece.subarray(added, added + this.#block.length - this.#blockLength)
      this.#block.set(part, this.#blockLength)
      this.#blockLength += part.length
      added += part.length
    }
    this.length += piece.length
  }

  #startBlock(): void {
    if (this.#blockLength > 0) this.#full.push(this.#block)
    this.#block = allocate(Math.min(Math.max(this.length, firstBytes), blockBytesMax))
    this.#blockLength = 0
  }

  /** Exactly as long as its ArrayBuffer, so that it can be transferred to another thread. */
  take(): Uint8Array {
    const isOneBlock = this.#full.length === 0
    if (isOneBlock && this.#blockLength === this.#block.length) return this.#block
    const whole = allocate(this.length)
    let length = 0
    for (const block of [...this.#full, this.#block.subarray(0, this.#blockLength)]) {
      whole.set(block, length)
      length += block.length
    }
    return whole
  }
}

const allocate = (bytes: number): Buffer => Buffer.allocUnsafeSlow(bytes)
