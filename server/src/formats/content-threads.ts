/**
 * What becomes of a target's answer: undoing its encodings, finding its charset, testing its JSON,
 * minifying it, and the result that a caller gets. All that takes time happens outside the event
 * loop, since what comes from the web may be made to take long. The folder fetches nothing.
 */
import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import { startContentThread } from './content-thread.ts'
import {
  type ContentWorker,
  type GivenJob,
  isLarge,
  type LeftBehind,
  startContentWorker,
} from './content-worker.ts'
import { startMinifierProcess } from './minifier-process.ts'
import type { Content, PresentJob } from './present.ts'

export interface ContentThreads extends AsyncDisposable {
  /**
   * Leaves the job's body as it is. The caller must not detach it before this has settled. When the
   * signal is aborted it rejects with its reason, and the job soon keeps no other waiting.
   */
  present(job: PresentJob, signal?: AbortSignal): Promise<Content>
}

export interface ContentThreadsOptions {
  /** At most; a thread is started when there is work that no idle one can take. */
  count: number
  log: Log
  /** How long one job may take. */
  jobMs?: number
  /** How long it may take with minifying, before it is done without. */
  minifyMs?: number
}

export function startContentThreads({
  count,
  log,
  jobMs = 30_000,
  minifyMs = 10_000,
}: ContentThreadsOptions): ContentThreads {
  let isClosed = false
  const threads = createCrew(count, (onEnd) =>
    startContentWorker((events) => startContentThread(events, log), { log, jobMs, onEnd }),
  )
  const minifiers = createCrew(count, (onEnd) =>
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

  function assign(given: GivenJob): void {
    if (given.signal?.aborted) return
    if (isClosed) given.reject(new Failure('SHUTTING_DOWN', 'This process is stopping.'))
    else if (given.job.minify?.useMinifier) minifiers.choose(given.job, takeOver).give(given)
    else threads.choose(given.job, takeOver).give(given)
  }

  function takeOver({ culprit, failure, waiting }: LeftBehind): void {
    if (culprit && isClosed) assign(culprit)
    // A page that the minifier cannot manage is returned as it was.
    else if (culprit?.job.minify?.useMinifier) {
      assign({ ...culprit, job: { ...culprit.job, minify: undefined } })
    } else culprit?.reject(failure)
    for (const given of waiting) assign(given)
  }
}

type OnEnd = (left: LeftBehind) => void

interface Crew {
  readonly workers: ReadonlySet<ContentWorker>
  /**
   * The one with the least to do; a new one where all have something and there may be more. Large
   * pages go to one of them, so that small ones need not wait and memory is taken for one at a time.
   */
  choose(job: PresentJob, onEnd: OnEnd): ContentWorker
}

function createCrew(count: number, start: (onEnd: OnEnd) => ContentWorker): Crew {
  const workers = new Set<ContentWorker>()
  return {
    workers,
    choose(job, onEnd) {
      let least: ContentWorker | undefined
      const isLargeJob = isLarge(job)
      for (const worker of workers) {
        if (isLargeJob && worker.hasLarge()) return worker
        if (!least || worker.load() < least.load()) least = worker
      }
      if (least && (least.load() === 0 || workers.size >= count)) return least
      const worker = start((left) => {
        workers.delete(worker)
        onEnd(left)
      })
      workers.add(worker)
      return worker
    },
  }
}
