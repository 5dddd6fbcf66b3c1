import { Failure } from '../domain/failure.ts'

/** With the driver's sweeps, a minute in which nothing but failures happened. */
export const failedStepsMax = 30

interface Failing {
  count: number
  lastAtMs: number
  progress: string
}

/** Tells a crawl that cannot go on from one that has a bad moment. */
export class FailedSteps {
  readonly #failing = new Map<string, Failing>()
  /** Failures that follow each other faster count as one: every page that ends is a reason for a step. */
  readonly #pauseMs: number

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs
  }

  /**
   * Whether the crawl has failed for good: one step after another failed and none of its pages ended
   * meanwhile. What is expected to pass does not count, such as an outage of the store, however long.
   */
  add(jobId: string, failed: { error: unknown; progress: string; nowMs: number }): boolean {
    if (failed.error instanceof Failure) return false
    const { progress, nowMs } = failed
    const before = this.#failing.get(jobId)
    const isSame = before?.progress === progress
    if (isSame && nowMs - before.lastAtMs < this.#pauseMs) return false
    const count = isSame ? before.count + 1 : 1
    this.#failing.set(jobId, { count, lastAtMs: nowMs, progress })
    return count >= failedStepsMax
  }

  forget(jobId: string): void {
    this.#failing.delete(jobId)
  }
}
