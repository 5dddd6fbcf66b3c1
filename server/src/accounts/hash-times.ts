const samplesMax = 15
// Used until something was hashed: about what argon2id takes on a small server.
const assumedMs = 50

/** Measures how long hashing takes. The median is not moved by a single pause of the machine. */
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
