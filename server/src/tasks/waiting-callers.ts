import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import type { FinishedTask } from './finished-task.ts'

/** The channel on which the end of a task is told to the process in which its caller waits. */
export const endedChannel = 'task_ended'

// A notice can be lost with a connection; a caller must not wait for it in vain.
const lookEveryMs = 5_000

const askAgain = 'This process is stopping, and the page is not there yet. Ask again in a moment.'

export interface WaitingCall extends Disposable {
  readonly finished: Promise<FinishedTask>
}

interface Caller {
  resolve(finished: FinishedTask): void
  reject(reason: Failure): void
}

/** Callers who wait for the end of a task on an open connection. */
export class WaitingCallers implements Disposable {
  readonly #waiting = new Map<string, Caller>()
  readonly #find: (taskId: string) => Promise<FinishedTask | undefined>
  readonly #log: Log
  readonly #subscription: Disposable
  readonly #timer: NodeJS.Timeout

  /** `find` reads a task that has ended from the store, wherever it was worked on. */
  constructor(parts: {
    db: Database
    log: Log
    find(taskId: string): Promise<FinishedTask | undefined>
  }) {
    this.#find = parts.find
    this.#log = parts.log
    this.#subscription = parts.db.listen(endedChannel, (taskId) => void this.#look(taskId))
    this.#timer = setInterval(() => {
      for (const taskId of this.#waiting.keys()) void this.#look(taskId)
    }, lookEveryMs)
    this.#timer.unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#subscription[Symbol.dispose]()
  }

  get count(): number {
    return this.#waiting.size
  }

  isWaitingFor(taskId: string): boolean {
    return this.#waiting.has(taskId)
  }

  /** Waits until disposed; `finished` rejects with the reason of the signal when the caller hangs up. */
  waitFor(taskId: string, hungUp: AbortSignal): WaitingCall {
    const { promise, resolve, reject } = Promise.withResolvers<FinishedTask>()
    // Nobody may be there to hear of it yet.
    promise.catch(() => undefined)
    const hangUp = () => reject(hungUp.reason)
    this.#waiting.set(taskId, { resolve, reject })
    if (hungUp.aborted) hangUp()
    hungUp.addEventListener('abort', hangUp, { once: true })
    return {
      finished: promise,
      [Symbol.dispose]: () => {
        this.#waiting.delete(taskId)
        hungUp.removeEventListener('abort', hangUp)
      },
    }
  }

  tell(finished: FinishedTask): void {
    this.#waiting.get(finished.task.id)?.resolve(finished)
  }

  /** Sends a caller elsewhere; the task is ended as if the caller had hung up. */
  refuse(taskId: string): void {
    this.#waiting.get(taskId)?.reject(new Failure('SHUTTING_DOWN', askAgain))
  }

  refuseAll(): void {
    for (const taskId of this.#waiting.keys()) this.refuse(taskId)
  }

  async #look(taskId: string): Promise<void> {
    const caller = this.#waiting.get(taskId)
    if (!caller) return
    try {
      const finished = await this.#find(taskId)
      if (finished) caller.resolve(finished)
    } catch (error) {
      this.#log.warn({ err: error }, 'A task that a caller waits for cannot be read.')
    }
  }
}
