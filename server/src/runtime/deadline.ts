export interface DeadlineOptions {
  /** The timeout from now on; if it is infinite, only the signal ends the wait. */
  ms: number
  /** Ends the wait earlier. */
  signal?: AbortSignal | undefined
  /** Makes the abort reason for a timeout. */
  late?: (() => unknown) | undefined
  /** Makes the error that waiters get from the reason; the signal has the reason itself. */
  explain?: ((reason: unknown) => unknown) | undefined
}

/**
 * A timeout combined with an outer abort signal. The work goes on unless it listens to `signal`, because others
 * may wait for it too. `AbortSignal.any` would take twenty times as long.
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
    // A deadline may have passed before it begins.
    if (Number.isFinite(ms)) this.#timer = setTimeout(() => this.end(late()), Math.max(0, ms))
    signal?.addEventListener('abort', this.#onAbort)
    if (signal?.aborted) this.#onAbort()
  }

  get isOver(): boolean {
    return this.#ending.signal.aborted
  }

  /** For work that should be aborted when the deadline passes. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Rejects when the deadline passes. */
  get passed(): Promise<never> {
    return this.#passed.promise
  }

  /** The work's outcome, or a rejection if the deadline passes first. */
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

/** Waits for the work until the deadline; a function gets the signal to abort on. */
export async function withDeadline<Value>(
  work: Promise<Value> | ((signal: AbortSignal) => Promise<Value>),
  options: DeadlineOptions,
): Promise<Value> {
  using deadline = new Deadline(options)
  if (work instanceof Promise) return await deadline.race(work)
  // Work whose deadline has already passed is not started.
  return await (deadline.isOver ? deadline.passed : deadline.race(work(deadline.signal)))
}

const overdue = (ms: number): Error => new Error(`Timed out after ${ms} ms.`)
const same = (reason: unknown): unknown => reason

/** Waits for the work at most this long, without an error; the work goes on. */
export async function waitAtMost(work: Promise<unknown>, ms: number): Promise<void> {
  const { promise: isLate, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  try {
    await Promise.race([work, isLate])
  } finally {
    clearTimeout(timer)
  }
}
