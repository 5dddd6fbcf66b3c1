import assert from 'node:assert/strict'
import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import type { Content, PresentFault, PresentJob } from './present.ts'

/** A job and the caller who waits for it. */
export interface PendingJob {
  readonly job: PresentJob
  /** Aborted when the caller no longer waits; the caller's promise has been rejected by then. */
  readonly signal: AbortSignal | undefined
  resolve(content: Content): void
  reject(failure: Failure): void
}

/** The queue in front of a thread or process that presents pages; it works on the first job. */
export interface ContentWorker {
  /** How many jobs it has; a large one counts as many. */
  load(): number
  hasLarge(): boolean
  enqueue(pending: PendingJob): void
  end(): Promise<void>
}

/** The jobs that a worker had when it exited. */
export interface WorkerExit {
  /** The job that it was working on, a poison job perhaps, and the failure for its caller. */
  current: PendingJob | undefined
  failure: Failure
  /** The jobs that it had not begun. */
  waiting: PendingJob[]
}

/** Messages to a worker: a thread's port or a process's channel. */
export interface JobTransport {
  post(job: PresentJob): void
  end(): Promise<void>
}

export interface TransportEvents {
  onReply(reply: Content | PresentFault): void
  /** The worker has exited; `failure` says why, where that is known. */
  onExit(failure?: Failure): void
}

export interface ContentWorkerOptions {
  log: Log
  /** The time limit of one job, from the moment it is the first. */
  jobMs: number
  onEnd(exit: WorkerExit): void
  /** The job is too large for this worker and has to be presented in a process. */
  onNeedsProcess(pending: PendingJob): void
}

export function startContentWorker(
  startTransport: (events: TransportEvents) => JobTransport,
  { log, jobMs, onEnd, onNeedsProcess }: ContentWorkerOptions,
): ContentWorker {
  // In order; the first `postedCount` jobs have been sent to the worker.
  const jobs: PendingJob[] = []
  let postedCount = 0
  let postedBytes = 0
  let timer: NodeJS.Timeout | undefined
  let timedOut: PendingJob | undefined

  const transport = startTransport({
    onReply(reply) {
      const first = jobs.shift()
      assert(first, 'Every reply belongs to a job.')
      postedCount -= 1
      postedBytes -= first.job.body.byteLength
      postMore()
      restartTimer()
      if ('kind' in reply) first.resolve(reply)
      else if (reply.needsProcess) onNeedsProcess(first)
      else first.reject(toFailure(reply, log))
    },
    onExit(failure = unexplained) {
      clearTimeout(timer)
      // The job that timed out is gone from the list if its reply came before the worker exited.
      const current = timedOut ? jobs.find((other) => other === timedOut) : jobs[0]
      const waiting = jobs.filter((other) => other !== current)
      jobs.length = 0
      postedCount = 0
      if (current && !timedOut) log.warn('A content worker died on a page; a new one is started.')
      onEnd({ current, failure: timedOut ? tooLate(jobMs) : failure, waiting })
    },
  })

  return {
    load: () => jobs.reduce((sum, { job }) => sum + (isLarge(job) ? largeLoad : 1), 0),
    hasLarge: () => jobs.some(({ job }) => isLarge(job)),
    enqueue(pending) {
      jobs.push(pending)
      postMore()
      if (jobs.length === 1) restartTimer()
      pending.signal?.addEventListener('abort', () => abandon(pending), { once: true })
    },
    end: () => transport.end(),
  }

  function postMore(): void {
    for (let next = jobs[postedCount]; next; next = jobs[postedCount]) {
      const { byteLength } = next.job.body
      const isEnough = postedCount >= postedMax || postedBytes + byteLength > postedBytesMax
      if (postedCount > 0 && isEnough) return
      transport.post(next.job)
      postedCount += 1
      postedBytes += byteLength
    }
  }

  function restartTimer(): void {
    clearTimeout(timer)
    const [first] = jobs
    if (first) timer = setTimeout(onTimeout, first.signal?.aborted ? abandonedJobMs : jobMs)
  }

  /** A job that was sent already stays: the worker replies to it, or it soon times out. */
  function abandon(pending: PendingJob): void {
    const index = jobs.indexOf(pending)
    if (index === 0) restartTimer()
    else if (index >= postedCount) jobs.splice(index, 1)
  }

  function onTimeout(): void {
    timedOut = jobs[0]
    log.warn('A page took too long to present; its content worker is replaced.')
    void transport.end()
  }
}

/** A compressed page of this size may decode to the largest page allowed. */
const largeBytes = 256 * 1024
const largeLoad = 50

export const isLarge = ({ body }: PresentJob): boolean => body.byteLength > largeBytes

// Backpressure: sent jobs are copies. A few ahead keep the worker busy, more would only take memory.
const postedMax = 8
const postedBytesMax = 32 * 2 ** 20

// Most abandoned jobs end within this time, and replacing their worker takes as long.
const abandonedJobMs = 100

const tooLate = (jobMs: number): Failure =>
  new Failure('CONTENT_TOO_COMPLEX', `The response could not be presented within ${jobMs} ms.`)

const unexplained = new Failure('INTERNAL_ERROR', 'The page could not be presented.')

function toFailure({ code, message, detail }: PresentFault, log: Log): Failure {
  if (detail !== undefined) log.error({ detail }, 'A page could not be presented.')
  return new Failure(code, message)
}
