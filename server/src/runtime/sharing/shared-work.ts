import { withDeadline } from '../deadline.ts'

interface Running<Result> {
  result: Promise<Result>
  ending: AbortController
  callersCount: number
}

/**
 * Work that several callers ask for at the same time is done once. It belongs to none of them: a caller who
 * leaves ends it only when it is the last.
 */
export class SharedWork<Result> {
  readonly #running = new Map<string, Running<Result>>()

  /** Rejects with the reason of the caller's signal when that is aborted. */
  async run(
    key: string,
    work: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    signal?.throwIfAborted()
    const running = this.#running.get(key) ?? this.#start(key, work)
    running.callersCount += 1
    try {
      return await withDeadline(running.result, { ms: Number.POSITIVE_INFINITY, signal })
    } finally {
      running.callersCount -= 1
      if (running.callersCount === 0) this.#end(key, running, signal?.reason)
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<Result>): Running<Result> {
    const ending = new AbortController()
    const running = { result: work(ending.signal), ending, callersCount: 0 }
    // All callers may have left before it fails, which must not end the process.
    running.result.catch(() => undefined)
    this.#running.set(key, running)
    return running
  }

  /** Newcomers start anew: what is left of the work, if anything, is for nobody. */
  #end(key: string, running: Running<Result>, reason: unknown): void {
    if (this.#running.get(key) === running) this.#running.delete(key)
    running.ending.abort(reason)
  }
}
