import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'

/** The thread in which this process searches rows by a part of their URL. */
export interface SearchThread {
  /** How often rows were to be searched. */
  readonly turnsCount: number
  /** From now on it gets nothing to do. */
  hold(): void
  /** It gets what there was to do since `hold`. */
  release(): void
}

/** The thread that this process starts at its first search. */
export function watchSearchThread(t: TestContext): SearchThread {
  let turnsCount = 0
  let held: (() => void)[] | undefined
  const note = (message: unknown) => {
    const { worker } = message as { worker: Worker }
    if (worker.threadName !== 'url search') return
    const post = worker.postMessage.bind(worker)
    worker.postMessage = (job: unknown) => {
      turnsCount += 1
      if (held) held.push(() => post(job))
      else post(job)
    }
  }
  subscribe('worker_threads', note)
  t.after(() => unsubscribe('worker_threads', note))
  return {
    get turnsCount() {
      return turnsCount
    },
    hold() {
      held = []
    },
    release() {
      for (const post of held ?? []) post()
      held = undefined
    },
  }
}
