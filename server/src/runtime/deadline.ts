export interface DeadlineOptions {
  /** From now on; without a finite number only the signal ends the wait. */
  ms: number
  /** Ends the wait earlier. */
  signal?: AbortSignal | undefined
  /** The reason when the time is over. */
  late?: (() => unknown) | undefined
  /** What those who wait get in place of the reason; the signal has the reason itself. */
  explain?: ((reason: unknown) => unknown) | undefined
}

/**
 * A timeout, or a signal that fires before it. What is waited for goes on unless it heeds `signal`:
 * others may be waiting for it too. `AbortSignal.any` would do the same in twenty times the time.
 */
export class Deadline implements Disposable {
  readonly #passed = Promise.withResolvers<never>()
  readonly #ending = new AbortController()
  readonly #timer: NodeJS.Timeout | undefined
  readonly #outer: AbortSignal | undefined
  readonly #explain: (reason: unknown) => unknown

  constructor({ ms, signal, late = () => overdue(ms), explain = same }: DeadlineOptions) {
    this.#explain = explain
    this.#outer = signal
    // A deadline that nobody waits on must not end the process with an unhandled rejection.
    this.#passed.promise.catch(() => undefined)
    if (Number.isFinite(ms)) this.#timer = setTimeout(() => this.end(late()), ms)
    signal?.addEventListener('abort', this.#onAbort)
    if (signal?.aborted) this.#onAbort()
  }

  get isOver(): boolean {
    return this.#ending.signal.aborted
  }

  /** For work that is to be given up with it. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Is rejected when it is over. */
  get passed(): Promise<never> {
    return this.#passed.promise
  }

  /** The work's outcome, or the reason why the wait has ended before. */
  race<Value>(work: Promise<Value>): Promise<Value> {
    return Promise.race([work, this.#passed.promise])
  }

  end(reason: unknown): void {
    this.#passed.reject(this.#explain(reason))
    this.#ending.abort(reason)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#onAbort)
  }

  readonly #onAbort = (): void => this.end(this.#outer?.reason)
}

/** The outcome of the work, which may be given the signal, or the reason why nobody waits any longer. */
export async function withDeadline<Value>(
  work: Promise<Value> | ((signal: AbortSignal) => Promise<Value>),
  options: DeadlineOptions,
): Promise<Value> {
  using deadline = new Deadline(options)
  if (work instanceof Promise) return await deadline.race(work)
  // Work that is too late already is not begun.
  return await (deadline.isOver ? deadline.passed : deadline.race(work(deadline.signal)))
}

const overdue = (ms: number): Error => new Error(`It was not done within ${ms} ms.`)
const same = (reason: unknown): unknown => reason

/** Waits for the work, but no longer than this; the work goes on. */
export async function waitAtMost(work: Promise<unknown>, ms: number): Promise<void> {
  const { promise: isLate, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  try {
    await Promise.race([work, isLate])
  } finally {
    clearTimeout(timer)
  }
}
