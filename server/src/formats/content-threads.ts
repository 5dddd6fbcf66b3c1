/**
 * Turns a target's response into the result that a caller gets: decompresses it, finds its charset,
 * validates its JSON and minifies it. A pool of threads does this outside the event loop, because a
 * hostile page can make it take long. The folder fetches nothing.
 */
import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import { startContentThread } from './content-thread.ts'
import {
  type ContentWorker,
  isLarge,
  type PendingJob,
  startContentWorker,
  type WorkerExit,
} from './content-worker.ts'
import { startMinifierProcess } from './minifier-process.ts'
import type { Content, PresentJob } from './present.ts'

export interface ContentThreads extends AsyncDisposable {
  /**
   * Does not change the job's body; the caller must not detach it before this has settled. When the
   * signal is aborted it rejects with the reason, and the job soon stops delaying others.
   */
  present(job: PresentJob, signal?: AbortSignal): Promise<Content>
}

export interface ContentThreadsOptions {
  /** The pool starts a thread when none is idle, up to this number. */
  count: number
  log: Log
  /** How long one job may take. */
  jobMs?: number
  /** How long one job may take in the minifier, before the page is returned without minifying. */
  minifyMs?: number
}

export function startContentThreads({
  count,
  log,
  jobMs = 30_000,
  minifyMs = 10_000,
}: ContentThreadsOptions): ContentThreads {
  let isClosed = false
  const threads = createWorkerPool(count, (onEnd) =>
    startContentWorker((events) => startContentThread(events, log), { log, jobMs, onEnd }),
  )
  const minifiers = createWorkerPool(count, (onEnd) =>
    startContentWorker(startMinifierProcess, { log, jobMs: minifyMs, onEnd }),
  )

  return {
    present(job, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<Content>()
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      if (signal?.aborted) reject(signal.reason)
      assign({ job, signal, resolve, reject })
      return promise
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await Promise.all([...threads.workers, ...minifiers.workers].map((worker) => worker.end()))
    },
  }

  function assign(entry: PendingJob): void {
    if (entry.signal?.aborted) return
    if (isClosed) entry.reject(new Failure('SHUTTING_DOWN', 'This process is stopping.'))
    else if (entry.job.minify?.useMinifier) minifiers.choose(entry.job, reassign).enqueue(entry)
    else threads.choose(entry.job, reassign).enqueue(entry)
  }

  function reassign({ current, failure, waiting }: WorkerExit): void {
    if (current && isClosed) assign(current)
    // A page that the minifier cannot process is returned without minifying.
    else if (current?.job.minify?.useMinifier) {
      assign({ ...current, job: { ...current.job, minify: undefined } })
    } else current?.reject(failure)
    for (const entry of waiting) assign(entry)
  }
}

type OnEnd = (exit: WorkerExit) => void

interface WorkerPool {
  readonly workers: ReadonlySet<ContentWorker>
  /**
   * Chooses the worker with the least load, or starts one while none is idle and the pool is not full.
   * All large pages go to one worker, so that small ones do not wait and only one takes much memory.
   */
  choose(job: PresentJob, onEnd: OnEnd): ContentWorker
}

function createWorkerPool(count: number, start: (onEnd: OnEnd) => ContentWorker): WorkerPool {
  const workers = new Set<ContentWorker>()
  return {
    workers,
    choose(job, onEnd) {
      let leastLoaded: ContentWorker | undefined
      const isLargeJob = isLarge(job)
      for (const worker of workers) {
        if (isLargeJob && worker.hasLarge()) return worker
        if (!leastLoaded || worker.load() < leastLoaded.load()) leastLoaded = worker
      }
      if (leastLoaded && (leastLoaded.load() === 0 || workers.size >= count)) return leastLoaded
      const worker = start((exit) => {
        workers.delete(worker)
        onEnd(exit)
      })
      workers.add(worker)
      return worker
    },
  }
}
