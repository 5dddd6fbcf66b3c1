import { Failure } from '../../../domain/failure.ts'
import { Deadline } from '../../../runtime/deadline.ts'

/** When a visit is over: nobody waits for the browser any longer than this allows. */
export class VisitDeadline implements Disposable {
  readonly #deadline: Deadline
  readonly #endsAtMs: number
  readonly #waiters = new Set<() => void>()
  #lateFailure: () => Failure
  #asTold = (reason: unknown): unknown => reason

  constructor({ timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal }) {
    this.#endsAtMs = performance.now() + timeoutMs
    this.#lateFailure = () =>
      new Failure(
        'TARGET_TIMEOUT',
        `The page was not there within ${timeoutMs} ms; timeout_ms can give it more.`,
      )
    this.#deadline = new Deadline({
      ms: timeoutMs,
      signal,
      late: () => this.#lateFailure(),
      explain: (reason) => this.#asTold(reason),
    })
    this.#deadline.signal.addEventListener('abort', () => this.changed())
  }

  get isOver(): boolean {
    return this.#deadline.isOver
  }

  /** For what is to be given up with it. */
  get signal(): AbortSignal {
    return this.#deadline.signal
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAtMs - performance.now())
  }

  /** What is told if the time runs out from now on; what was told before, once disposed of. */
  ifLate(failure: () => Failure): Disposable {
    const before = this.#lateFailure
    this.#lateFailure = failure
    return {
      [Symbol.dispose]: () => {
        this.#lateFailure = before
      },
    }
  }

  /** What reasons are told as from now on. */
  tellAs(asTold: (reason: unknown) => unknown): void {
    this.#asTold = asTold
  }

  end(reason: unknown): void {
    this.#deadline.end(reason)
  }

  /** The work's outcome, or the reason why the visit has ended before. */
  during<Value>(work: Promise<Value>): Promise<Value> {
    return this.#deadline.race(work)
  }

  /** Waits until it is so; asked again whenever something has changed. */
  until(isSo: () => boolean): Promise<void> {
    return this.during(
      new Promise((resolve) => {
        const look = () => {
          if (!this.isOver && !isSo()) return
          this.#waiters.delete(look)
          resolve()
        }
        this.#waiters.add(look)
        look()
      }),
    )
  }

  changed(): void {
    for (const look of this.#waiters) look()
  }

  [Symbol.dispose](): void {
    this.#deadline[Symbol.dispose]()
    this.#waiters.clear()
  }
}
