import assert from 'node:assert/strict'
import { Semaphore } from '../../runtime/sharing/semaphore.ts'
import type { Stopwatch } from '../../runtime/stopwatch.ts'
import { isLarge, type PageToPresent } from '../present.ts'
import type { ContentWorker, PageTurn, WorkerReply } from './worker.ts'

/** On whose behalf a page is presented. */
export interface PresentCaller {
  /** Accounts take turns. */
  accountId: string
  /** When it is aborted, the page leaves the queue, or soon its worker. */
  signal?: AbortSignal | undefined
  /** Runs while the page waits for a worker. */
  waiting?: Stopwatch | undefined
}

export interface WorkerPool extends AsyncDisposable {
  present(page: PageToPresent, caller: PresentCaller): Promise<WorkerReply>
}

export interface WorkerPoolOptions {
  /** The pool starts a worker when none is idle, up to this number. */
  count: number
  /** How many idle workers stay; the others are ended after a minute. */
  keptCount: number
  start(onExit: () => void): ContentWorker
}

/** Workers of one kind, and the queue in front of them. */
export function createWorkerPool({ count, keptCount, start }: WorkerPoolOptions): WorkerPool {
  const workers = new Set<ContentWorker>()
  const idle = new Map<ContentWorker, NodeJS.Timeout | undefined>()
  const limits = { ...queueLimits, isSpareReady: () => idle.size > 0 }
  const turns = new Semaphore({ atOnceMax: count, ...limits })
  // Large pages take the half of the workers, so that small ones do not wait and few take much memory.
  const largeTurns = new Semaphore({ atOnceMax: Math.max(1, count >> 1), ...limits })
  let isClosed = false

  return {
    async present(page, caller) {
      caller.waiting?.start()
      const present = () => inTurn(turns, caller, () => presentNow(page, caller))
      try {
        return await (isLarge(page) ? inTurn(largeTurns, caller, present) : present())
      } finally {
        caller.waiting?.stop()
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      for (const timer of idle.values()) clearTimeout(timer)
      await Promise.all([...workers].map((worker) => worker.end()))
    },
  }

  async function presentNow(page: PageToPresent, { waiting, signal }: PresentCaller) {
    waiting?.stop()
    if (isClosed) return shuttingDown
    const turn = { startedAtMs: performance.now(), signal }
    let reply = await presentWith(takeWorker(), page, turn)
    // A worker that was killed says nothing about its page, until a second one is. An idle one may
    // have been killed along with it, unnoticed as yet.
    if (isBlameless(reply) && !isClosed && !signal?.aborted) {
      reply = await presentWith(startWorker(), page, turn)
    }
    return isClosed && 'hasDied' in reply ? shuttingDown : reply
  }

  async function presentWith(worker: ContentWorker, page: PageToPresent, turn: PageTurn) {
    const reply = await worker.present(page, turn)
    if (worker.isUsable) rest(worker)
    return reply
  }

  function takeWorker(): ContentWorker {
    // The one that was used last, so that the others become idle for long enough to be ended.
    const rested = [...idle.keys()].at(-1)
    if (rested) {
      clearTimeout(idle.get(rested))
      idle.delete(rested)
      return rested
    }
    return startWorker()
  }

  function startWorker(): ContentWorker {
    const worker = start(() => {
      workers.delete(worker)
      clearTimeout(idle.get(worker))
      idle.delete(worker)
    })
    workers.add(worker)
    return worker
  }

  function rest(worker: ContentWorker): void {
    const dismiss = () => {
      idle.delete(worker)
      void worker.end()
    }
    idle.set(worker, workers.size > keptCount ? setTimeout(dismiss, idleMs).unref() : undefined)
  }
}

/**
 * An account that holds no worker waits half as long for its turn as starting one takes, and not at all
 * for one that is idle. Only pages that are slow to present make it wait longer.
 */
const queueLimits = { waitingMax: Number.POSITIVE_INFINITY, spareMax: 1, spareAfterMs: 300 }

/** A process takes some 100 MB. */
const idleMs = 60_000

const isBlameless = (reply: WorkerReply): boolean =>
  'hasDied' in reply && reply.hasDied === 'for no known fault'

const shuttingDown: WorkerReply = {
  code: 'SHUTTING_DOWN',
  message: 'This process is stopping.',
  detail: undefined,
}

async function inTurn<Result>(
  semaphore: Semaphore,
  { accountId, signal }: PresentCaller,
  act: () => Promise<Result>,
): Promise<Result> {
  const done = await semaphore.run(act, { accountId, signal })
  assert(done, 'The queue has no limit.')
  return done.result
}
