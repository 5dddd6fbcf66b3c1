import assert from 'node:assert/strict'
import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import type { Content, PresentFault, PresentJob } from './present.ts'

/** A job and the caller who waits for it. */
export interface GivenJob {
  readonly job: PresentJob
  /** Aborted when nobody waits for it any more; whoever aborts it tells the caller. */
  readonly signal: AbortSignal | undefined
  resolve(content: Content): void
  reject(failure: Failure): void
}

/** This side of a thread or process that presents. It works in order: the first job is the one in work. */
export interface ContentWorker {
  /** How many jobs it has, a large one counted as many. */
  load(): number
  hasLarge(): boolean
  give(given: GivenJob): void
  end(): Promise<void>
}

/** What a worker that is gone leaves behind. */
export interface LeftBehind {
  /** What it was working on, and what it is to be told. */
  culprit: GivenJob | undefined
  failure: Failure
  /** What it had not begun. */
  waiting: GivenJob[]
}

/** The way to a worker and back. */
export interface Carrier {
  post(job: PresentJob): void
  end(): Promise<void>
}

export interface CarrierEvents {
  onAnswer(answer: Content | PresentFault): void
  /** The worker is gone, and why, where that is known. */
  onGone(failure?: Failure): void
}

export interface ContentWorkerOptions {
  log: Log
  /** For one job, from the moment it is the first. */
  jobMs: number
  onEnd(left: LeftBehind): void
}

export function startContentWorker(
  startCarrier: (events: CarrierEvents) => Carrier,
  { log, jobMs, onEnd }: ContentWorkerOptions,
): ContentWorker {
  // In order; the first `postedCount` of them have been sent to the worker.
  const given: GivenJob[] = []
  let postedCount = 0
  let postedBytes = 0
  let timer: NodeJS.Timeout | undefined
  let late: GivenJob | undefined

  const carrier = startCarrier({
    onAnswer(answer) {
      const first = given.shift()
      assert(first, 'Every answer belongs to a job.')
      postedCount -= 1
      postedBytes -= first.job.body.byteLength
      postMore()
      watchFirst()
      if ('kind' in answer) first.resolve(answer)
      else first.reject(toFailure(answer, log))
    },
    onGone(failure = unexplained) {
      clearTimeout(timer)
      // One that was late may have been answered after all while its worker was ended.
      const culprit = late ? given.find((other) => other === late) : given[0]
      const waiting = given.filter((other) => other !== culprit)
      given.length = 0
      postedCount = 0
      if (culprit && !late) log.warn('Who presented a page died over it and is replaced.')
      onEnd({ culprit, failure: late ? tooLate(jobMs) : failure, waiting })
    },
  })

  return {
    load: () => given.reduce((sum, { job }) => sum + (isLarge(job) ? largeLoad : 1), 0),
    hasLarge: () => given.some(({ job }) => isLarge(job)),
    give(next) {
      given.push(next)
      postMore()
      if (given.length === 1) watchFirst()
      next.signal?.addEventListener('abort', () => leave(next), { once: true })
    },
    end: () => carrier.end(),
  }

  function postMore(): void {
    for (let next = given[postedCount]; next; next = given[postedCount]) {
      const { byteLength } = next.job.body
      const isEnough = postedCount >= postedMax || postedBytes + byteLength > postedBytesMax
      if (postedCount > 0 && isEnough) return
      carrier.post(next.job)
      postedCount += 1
      postedBytes += byteLength
    }
  }

  function watchFirst(): void {
    clearTimeout(timer)
    const [first] = given
    if (first) timer = setTimeout(giveUp, first.signal?.aborted ? leftJobMs : jobMs)
  }

  /** What is with the worker already is answered in its turn, or soon given up. */
  function leave(left: GivenJob): void {
    const place = given.indexOf(left)
    if (place === 0) watchFirst()
    else if (place >= postedCount) given.splice(place, 1)
  }

  function giveUp(): void {
    late = given[0]
    log.warn('A page took too long to present; who worked on it is replaced.')
    void carrier.end()
  }
}

/** Decoded such a page may take all that a page may take. */
const largeBytes = 256 * 1024
const largeLoad = 50

export const isLarge = ({ body }: PresentJob): boolean => body.byteLength > largeBytes

// What is sent is copied: a few ahead keep the worker busy, more would only take memory.
const postedMax = 8
const postedBytesMax = 32 * 2 ** 20

// Most are done by then, and to replace who works on it takes as long.
const leftJobMs = 100

const tooLate = (jobMs: number): Failure =>
  new Failure('BAD_RESPONSE', `The answer could not be presented within ${jobMs} ms.`)

const unexplained = new Failure('INTERNAL_ERROR', 'The page could not be presented.')

function toFailure({ code, message, detail }: PresentFault, log: Log): Failure {
  if (detail !== undefined) log.error({ detail }, 'A page could not be presented.')
  return new Failure(code, message)
}
