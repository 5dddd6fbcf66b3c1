/**
 * Turns a target's response into the result that a caller gets: decompresses it, finds its charset,
 * validates its JSON and minifies it. A pool of threads does this outside the event loop, because a
 * hostile page can make it take long. The folder fetches nothing.
 */
import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import { startContentThread, tooMuchMemory } from './content-thread.ts'
import {
  type ContentWorker,
  isLarge,
  type JobTransport,
  type PendingJob,
  startContentWorker,
  type TransportEvents,
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
  /** How long a PDF may take to read. */
  pdfMs?: number
}

export function startContentThreads(options: ContentThreadsOptions): ContentThreads {
  let isClosed = false
  const pools = createPools(options, (entry) =>
    assign({ ...entry, job: { ...entry.job, isInProcess: true } }),
  )

  return {
    present(job, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<Content>()
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      if (signal?.aborted) reject(signal.reason)
      const isInProcess = job.isInProcess || mayFillHeap(job)
      assign({ job: isInProcess ? { ...job, isInProcess } : job, signal, resolve, reject })
      return promise
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      const workers = Object.values(pools).flatMap((pool) => [...pool.workers])
      await Promise.all(workers.map((worker) => worker.end()))
    },
  }

  function assign(entry: PendingJob): void {
    if (entry.signal?.aborted) return
    if (isClosed) entry.reject(new Failure('SHUTTING_DOWN', 'This process is stopping.'))
    else pools[poolFor(entry.job)].choose(entry.job, reassign).enqueue(entry)
  }

  function reassign({ current, failure, waiting }: WorkerExit): void {
    if (current && isClosed) assign(current)
    else if (current?.job.mayBePdf) current.reject(pdfTooComplex())
    // A page that the minifier cannot process is returned without minifying.
    else if (current?.job.minify?.useMinifier) {
      assign({ ...current, job: { ...current.job, minify: undefined } })
    } else current?.reject(failure)
    for (const entry of waiting) assign(entry)
  }
}

/** However small the page is: with a caller's rules, or where its markdown is rendered. */
const mayFillHeap = ({ extract, preview }: PresentJob): boolean =>
  extract?.rules !== undefined || preview === 'markdown'

type PoolName = ReturnType<typeof poolFor>

function poolFor(job: PresentJob) {
  if (job.mayBePdf) return 'pdfReaders'
  if (job.preview === 'markdown') return 'previews'
  if (job.extract?.rules) return 'ruledPages'
  if (job.isInProcess) return 'largePages'
  return job.minify?.useMinifier ? 'minifiers' : 'threads'
}

function createPools(
  { count, log, jobMs = 30_000, minifyMs = 10_000, pdfMs = 30_000 }: ContentThreadsOptions,
  onNeedsProcess: (pending: PendingJob) => void,
): Record<PoolName, WorkerPool> {
  const pool = (countMax: number, start: StartTransport, ms: number) =>
    createWorkerPool(countMax, (onEnd) =>
      startContentWorker(start, { log, jobMs: ms, onEnd, onNeedsProcess }),
    )
  return {
    threads: pool(count, (events) => startContentThread(events, log), jobMs),
    minifiers: pool(count, startMinifierProcess, minifyMs),
    // One at a time: a process may take a gigabyte before it is ended.
    pdfReaders: pool(1, startMinifierProcess, pdfMs),
    largePages: pool(1, startPageProcess, jobMs),
    ruledPages: pool(count, startPageProcess, jobMs),
    // Apart, so that who looks at hostile pages does not delay who scrapes.
    previews: pool(1, startPageProcess, jobMs),
  }
}

type StartTransport = (events: TransportEvents) => JobTransport

/** It dies where a page takes too much memory; its thread does not get to say so. */
const startPageProcess = ({ onReply, onExit }: TransportEvents): JobTransport =>
  startMinifierProcess({ onReply, onExit: () => onExit(tooMuchMemory()) })

const pdfTooComplex = (): Failure =>
  new Failure('CONTENT_TOO_COMPLEX', 'The PDF takes too much time or memory to be read.')

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
