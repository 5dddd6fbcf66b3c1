import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import type { FinishedTask } from './results/finished-task.ts'

/** The channel that notifies the process in which a task's caller waits that the task has ended. */
export const endedChannel = 'task_ended'

// Polling is the fallback for a notification that was lost with its connection.
const pollIntervalMs = 5_000

const shuttingDown =
  'This process is shutting down before your result was ready. Retry in a moment.'

interface Caller {
  resolve(finished: FinishedTask): void
  reject(reason: Failure): void
}

/** Realtime callers, who wait on an open connection until their task ends. */
export class WaitingCallers implements Disposable {
  readonly #waiting = new Map<string, Caller>()
  readonly #find: (taskId: string) => Promise<FinishedTask | undefined>
  readonly #log: Log
  readonly #subscription: Disposable
  readonly #timer: NodeJS.Timeout

  /** `find` reads an ended task from the store, whichever process ran it. */
  constructor(parts: {
    db: Database
    log: Log
    find(taskId: string): Promise<FinishedTask | undefined>
  }) {
    this.#find = parts.find
    this.#log = parts.log
    this.#subscription = parts.db.listen(endedChannel, (taskId) => void this.#check(taskId))
    this.#timer = setInterval(() => {
      for (const taskId of this.#waiting.keys()) void this.#check(taskId)
    }, pollIntervalMs)
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

  /** Waits until disposed; `finished` rejects with the signal's reason if the caller disconnects. */
  waitFor(taskId: string, disconnected: AbortSignal) {
    const { promise, resolve, reject } = Promise.withResolvers<FinishedTask>()
    // It may reject before anybody awaits it, which must not crash the process.
    promise.catch(() => undefined)
    const hangUp = () => reject(disconnected.reason)
    this.#waiting.set(taskId, { resolve, reject })
    if (disconnected.aborted) hangUp()
    disconnected.addEventListener('abort', hangUp, { once: true })
    return {
      finished: promise,
      [Symbol.dispose]: () => {
        this.#waiting.delete(taskId)
        disconnected.removeEventListener('abort', hangUp)
      },
    }
  }

  resolve(finished: FinishedTask): void {
    this.#waiting.get(finished.task.id)?.resolve(finished)
  }

  /** Rejects a caller; the task is cancelled as if the caller disconnected. */
  refuse(taskId: string, reason = new Failure('SHUTTING_DOWN', shuttingDown)): void {
    this.#waiting.get(taskId)?.reject(reason)
  }

  refuseAll(): void {
    for (const taskId of this.#waiting.keys()) this.refuse(taskId)
  }

  async #check(taskId: string): Promise<void> {
    const caller = this.#waiting.get(taskId)
    if (!caller) return
    try {
      const finished = await this.#find(taskId)
      if (finished) caller.resolve(finished)
    } catch (error) {
      this.#log.warn({ err: error, taskId }, 'Failed to read an awaited task; retrying.')
    }
  }
}
