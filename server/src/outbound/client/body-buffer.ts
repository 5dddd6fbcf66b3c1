/** The most memory allocated at once because of a Content-Length; more is allocated as bytes come. */
const trustedBytes = 1_048_576
const firstBytes = 16_384

/** Collects a body in one buffer: a body in a million pieces of one byte must not be a million objects. */
export class BodyBuffer {
  length = 0
  #bytes: Buffer

  constructor(expectedBytes: number | undefined) {
    const capacity =
      expectedBytes === undefined ? firstBytes : Math.min(expectedBytes, trustedBytes)
    this.#bytes = capacity === 0 ? empty : Buffer.allocUnsafeSlow(capacity)
  }

  add(piece: Uint8Array): void {
    const length = this.length + piece.length
    if (length > this.#bytes.length) {
      this.#growTo(Math.max(length, this.#bytes.length * 2, firstBytes))
    }
    this.#bytes.set(piece, this.length)
    this.length = length
  }

  /** Allocates for a body of so many bytes in all, once the memory budget has granted them. */
  expect(bytes: number): void {
    if (bytes > this.#bytes.length) this.#growTo(bytes)
  }

  #growTo(bytes: number): void {
    const larger = Buffer.allocUnsafeSlow(bytes)
    this.#bytes.copy(larger, 0, 0, this.length)
    this.#bytes = larger
  }

  /** Exactly as long as its ArrayBuffer, so that it can be transferred to another thread. */
  take(): Uint8Array {
    if (this.length === this.#bytes.length) return this.#bytes
    const exact = Buffer.allocUnsafeSlow(this.length)
    this.#bytes.copy(exact, 0, 0, this.length)
    return exact
  }
}

const empty = Buffer.alloc(0)
