import type { Log } from './log.ts'

const tickMs = 500
/** Longer than the event loop is ever busy with one thing. */
const standstillMsMin = 3_000

/**
 * Notices when the whole process stood still: it was paused, or the machine gave it no time. Timers that
 * were due meanwhile run late and all at once, before any response that has arrived is read.
 */
export class Standstills implements Disposable {
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  #tickedAtMs = performance.now()
  #endedAtMs = Number.NEGATIVE_INFINITY

  constructor({ log }: { log: Log }) {
    this.#log = log
    this.#timer = setInterval(() => this.#tick(), tickMs).unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  /** Whether one has ended since that time of `performance.now()`. */
  hasEndedSince(ms: number): boolean {
    // The timer that asks may run before ours.
    this.#tick()
    return this.#endedAtMs >= ms
  }

  #tick(): void {
    const nowMs = performance.now()
    const stoodStillMs = nowMs - this.#tickedAtMs
    this.#tickedAtMs = nowMs
    if (stoodStillMs < standstillMsMin) return
    this.#endedAtMs = nowMs
    this.#log.warn({ stoodStillMs: Math.round(stoodStillMs) }, stoodStillMessage)
  }
}

const stoodStillMessage =
  'The process stood still; pages whose time passed meanwhile are fetched again.'
