import { type EventLoopUtilization, performance } from 'node:perf_hooks'

const windowMs = 50
const saturatedShare = 0.9

/**
 * Backpressure on work in the background: while the event loop is saturated, an account gets fewer slots if
 * requests of others are being handled. Otherwise the pages of a batch would come before each of their steps.
 */
export class CallerPriority {
  readonly #requestsOf = new Map<string, number>()
  #since: EventLoopUtilization = performance.eventLoopUtilization()
  #sinceMs = performance.now()
  #isSaturated = false

  /** A request of this account is being handled until the returned function is called. */
  begin(accountId: string): () => void {
    this.#requestsOf.set(accountId, (this.#requestsOf.get(accountId) ?? 0) + 1)
    return () => {
      const left = (this.#requestsOf.get(accountId) ?? 0) - 1
      if (left > 0) this.#requestsOf.set(accountId, left)
      else this.#requestsOf.delete(accountId)
    }
  }

  /** Whether work of this account delays requests of others. */
  delaysOthers(accountId: string): boolean {
    const othersCount = this.#requestsOf.size - (this.#requestsOf.has(accountId) ? 1 : 0)
    return othersCount > 0 && this.#isLoopSaturated()
  }

  /** By the last whole window, so that a moment counts for little. */
  #isLoopSaturated(): boolean {
    const nowMs = performance.now()
    if (nowMs - this.#sinceMs < windowMs) return this.#isSaturated
    this.#isSaturated = performance.eventLoopUtilization(this.#since).utilization > saturatedShare
    this.#since = performance.eventLoopUtilization()
    this.#sinceMs = nowMs
    return this.#isSaturated
  }
}
