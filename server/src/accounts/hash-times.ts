const samplesMax = 15
// Assumed until something was hashed: about what argon2id takes on a small server.
const assumedMs = 50

/** How long hashing took lately. It gives the median, which a single pause of the machine does not move. */
export class HashTimes {
  readonly #samplesMs: number[] = []
  #medianMs = assumedMs

  async measure<Result>(hashing: () => Promise<Result>): Promise<Result> {
    const startedMs = performance.now()
    const result = await hashing()
    this.#samplesMs.push(performance.now() - startedMs)
    if (this.#samplesMs.length > samplesMax) this.#samplesMs.shift()
    const sorted = this.#samplesMs.toSorted((a, b) => a - b)
    this.#medianMs = sorted[sorted.length >> 1] ?? assumedMs
    return result
  }

  medianMs(): number {
    return this.#medianMs
  }
}
