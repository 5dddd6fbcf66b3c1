import type { Log } from '../log.ts'

const tickMs = 500
/** Longer than the event loop is ever busy with one thing. */
const loggedMsMin = 3_000
/** Nobody asks about standstills before so many later ones. */
const keptMax = 100

interface Standstill {
  endedAtMs: number
  lastedMs: number
}

/**
 * Notices when the whole process stood still: it was paused, or the machine gave it no time. Timers that
 * were due meanwhile run late and all at once, before any response that has arrived is read.
 */
export class Standstills implements Disposable {
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  #tickedAtMs = performance.now()
  #latest: Standstill[] = []

  constructor({ log }: { log: Log }) {
    this.#log = log
    this.#timer = setInterval(() => this.#tick(), tickMs).unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  /**
   * Whether the process stood still since that time of `performance.now()`, for so long that work with
   * this time limit may have missed what came meanwhile.
   */
  hasStoodStill(sinceMs: number, timeoutMs: number): boolean {
    // The timer that asks may run before ours.
    this.#tick()
    const shortestMs = Math.min(loggedMsMin, Math.max(2 * tickMs, timeoutMs / 2))
    const nowMs = performance.now()
    return this.#latest.some(
      ({ endedAtMs, lastedMs }) =>
        // Work that fails would be done again for ever where a test has moved this clock and set it back.
        endedAtMs >= sinceMs && endedAtMs <= nowMs && lastedMs >= shortestMs,
    )
  }

  #tick(): void {
    const nowMs = performance.now()
    const lastedMs = nowMs - this.#tickedAtMs
    this.#tickedAtMs = nowMs
    if (lastedMs < 2 * tickMs) return
    this.#latest = [...this.#latest, { endedAtMs: nowMs, lastedMs }].slice(-keptMax)
    if (lastedMs >= loggedMsMin) {
      this.#log.warn({ stoodStillMs: Math.round(lastedMs) }, stoodStillMessage)
    }
  }
}

const stoodStillMessage =
  'The process stood still; pages whose time passed meanwhile are fetched again.'
