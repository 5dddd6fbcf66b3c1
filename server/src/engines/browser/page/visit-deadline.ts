import { Failure } from '../../../domain/failure.ts'
import { timeoutAdvice } from '../../../domain/scrape/scrape-request.ts'
import { Deadline } from '../../../runtime/deadline.ts'
import type { BrowserOrder } from './visit-order.ts'

type DeadlineOrder = Pick<BrowserOrder, 'timeoutMs' | 'signal' | 'purpose'>

/** Ends a visit at its timeout, when its signal is aborted, or with a failure. */
export class VisitDeadline implements Disposable {
  readonly #deadline: Deadline
  readonly #endsAtMs: number
  readonly #waiters = new Set<() => void>()
  #timeoutFailure: () => Failure
  #mapReason = (reason: unknown): unknown => reason

  constructor({ timeoutMs, signal, purpose }: DeadlineOrder) {
    this.#endsAtMs = performance.now() + timeoutMs
    this.#timeoutFailure = () =>
      new Failure(
        'TARGET_TIMEOUT',
        `The page was not ready within ${timeoutMs} ms; ${timeoutAdvice({ purpose })}.`,
      )
    this.#deadline = new Deadline({
      ms: timeoutMs,
      signal,
      late: () => this.#timeoutFailure(),
      explain: (reason) => this.#mapReason(reason),
    })
    this.#deadline.signal.addEventListener('abort', () => this.recheck())
  }

  get isOver(): boolean {
    return this.#deadline.isOver
  }

  /** Aborted when the visit ends early. */
  get signal(): AbortSignal {
    return this.#deadline.signal
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAtMs - performance.now())
  }

  /** Sets the failure for a timeout from now on; disposing restores the previous one. */
  onTimeout(failure: () => Failure): Disposable {
    const previous = this.#timeoutFailure
    this.#timeoutFailure = failure
    return {
      [Symbol.dispose]: () => {
        this.#timeoutFailure = previous
      },
    }
  }

  /** From now on, reasons are passed through this function before waiters get them. */
  mapReasons(mapReason: (reason: unknown) => unknown): void {
    this.#mapReason = mapReason
  }

  abort(reason: unknown): void {
    this.#deadline.end(reason)
  }

  /** Settles like the work, or rejects with the reason when the visit ends first. */
  during<Value>(work: Promise<Value>): Promise<Value> {
    return this.#deadline.race(work)
  }

  /** Waits for a condition, which is checked now and at each `recheck`. */
  waitUntil(condition: () => boolean): Promise<void> {
    return this.during(
      new Promise((resolve) => {
        const check = () => {
          if (!this.isOver && !condition()) return
          this.#waiters.delete(check)
          resolve()
        }
        this.#waiters.add(check)
        check()
      }),
    )
  }

  recheck(): void {
    for (const check of this.#waiters) check()
  }

  [Symbol.dispose](): void {
    this.#deadline[Symbol.dispose]()
    this.#waiters.clear()
  }
}
