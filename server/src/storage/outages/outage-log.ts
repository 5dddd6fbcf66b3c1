import type { Failure, FailureCode } from '../../domain/failure.ts'
import type { Log } from '../../runtime/log.ts'

interface Outage {
  readonly begunAtMs: number
  lastFailedAtMs: number
  failedCalls: number
}

/**
 * An outage is over when no call has failed for this long and one succeeds: single calls succeed during it, too. A
 * store without space still reads, so its writes have to be given time to fail again.
 */
const quietMsByCode: Partial<Record<FailureCode, number>> = {
  STORE_UNAVAILABLE: 2_000,
  STORE_FULL: 60_000,
}

/** Logs each outage of the store in two lines, however many calls fail in it: its beginning and its end. */
export class OutageLog {
  readonly #log: Log
  readonly #place: string
  readonly #nowMs: () => number
  readonly #outages = new Map<FailureCode, Outage>()

  constructor({ log, place, nowMs = () => performance.now() }: OutageLogParts) {
    this.#log = log
    this.#place = place
    this.#nowMs = nowMs
  }

  failed(failure: Failure): void {
    const nowMs = this.#nowMs()
    const outage = this.#outages.get(failure.code)
    if (outage) {
      outage.lastFailedAtMs = nowMs
      outage.failedCalls += 1
      return
    }
    this.#outages.set(failure.code, { begunAtMs: nowMs, lastFailedAtMs: nowMs, failedCalls: 1 })
    this.#log.error(
      { code: failure.code, err: failure.cause ?? failure },
      `Calls to the store ${this.#place} fail: ${failure.message} They are retried; another line says when they succeed again.`,
    )
  }

  succeeded(): void {
    if (this.#outages.size === 0) return
    const nowMs = this.#nowMs()
    for (const [code, { begunAtMs, lastFailedAtMs, failedCalls }] of this.#outages) {
      if (nowMs - lastFailedAtMs < (quietMsByCode[code] ?? 0)) continue
      this.#outages.delete(code)
      const seconds = Math.round((lastFailedAtMs - begunAtMs) / 100) / 10
      this.#log.warn(
        { code, seconds, failedCalls },
        `Calls to the store ${this.#place} succeed again: ${failedCalls} had failed within ${seconds} s.`,
      )
    }
  }
}

interface OutageLogParts {
  readonly log: Log
  /** Where the store is, without credentials. */
  readonly place: string
  /** A monotonic clock. */
  readonly nowMs?: (() => number) | undefined
}
