/** Room taken at once on a server's word; more is taken when it is needed. */
const trustedBytes = 1_048_576
const firstBytes = 16_384

/**
 * Gathers a body in memory of its own. Pieces are copied as they come: a million pieces of one byte
 * would otherwise be kept as a million objects.
 */
export class BodyBuffer {
  length = 0
  #bytes: Buffer

  constructor(expectedBytes: number | undefined) {
    const room = expectedBytes === undefined ? firstBytes : Math.min(expectedBytes, trustedBytes)
    this.#bytes = room === 0 ? nothing : Buffer.allocUnsafeSlow(room)
  }

  add(piece: Uint8Array): void {
    const length = this.length + piece.length
    if (length > this.#bytes.length) {
      this.#growTo(Math.max(length, this.#bytes.length * 2, firstBytes))
    }
    this.#bytes.set(piece, this.length)
    this.length = length
  }

  /** Room for so much in all has been found. */
  expect(bytes: number): void {
    if (bytes > this.#bytes.length) this.#growTo(bytes)
  }

  #growTo(bytes: number): void {
    const larger = Buffer.allocUnsafeSlow(bytes)
    this.#bytes.copy(larger, 0, 0, this.length)
    this.#bytes = larger
  }

  /** Exactly as long as the memory under it, so that it can be handed to another thread. */
  take(): Uint8Array {
    if (this.length === this.#bytes.length) return this.#bytes
    const exact = Buffer.allocUnsafeSlow(this.length)
    this.#bytes.copy(exact, 0, 0, this.length)
    return exact
  }
}

const nothing = Buffer.alloc(0)
