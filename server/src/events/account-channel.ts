import { isoTime } from '../runtime/iso-time.ts'
import type { Log } from '../runtime/log.ts'
import type { EventTopics } from '../wire/events/requests.ts'
import type { WatchedEvent } from '../wire/events/responses.ts'
import { EventRing } from './event-ring.ts'
import { EventStream } from './event-stream.ts'
import { planTaskEvents, type StatusCounts, type TaskChange } from './task-change.ts'

export interface AccountChannelParts {
  log: Log
  nowMs(): number
  /** Reads the jobs as they are now; those that are gone are left out. */
  readJobs(ids: readonly string[]): Promise<Omit<JobEvent, 'type' | 'at'>[]>
  readQueue(): Promise<QueueCounts>
}

type JobEvent = Extract<WatchedEvent, { type: 'job' }>

export interface QueueCounts {
  waiting: number
  running: number
}

const ringEventsMax = 5_000
/** Four times a second is as often as anybody can read. */
const flushIntervalMs = 250
const queueIntervalMs = 1_000
/** Changes beyond these in one interval are counted only; a job beyond them makes listeners read again. */
const changesMax = 5_000
const jobsMax = 100

/** What happens in one account, collected (coalesced) and sent to its listeners. */
export class AccountChannel implements Disposable {
  readonly streams = new Set<EventStream>()
  readonly #parts: AccountChannelParts
  readonly #ring = new EventRing(ringEventsMax)
  readonly #queueTimer: NodeJS.Timeout
  #changes = new Map<string, TaskChange>()
  #uncounted: StatusCounts = {}
  #jobs = new Set<string>()
  #isReset = false
  #flushTimer: NodeJS.Timeout | undefined
  #lastQueue: QueueCounts | undefined
  #isDisposed = false

  constructor(parts: AccountChannelParts) {
    this.#parts = parts
    this.#queueTimer = setInterval(() => void this.#readQueue(), queueIntervalMs).unref()
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    clearInterval(this.#queueTimer)
    clearTimeout(this.#flushTimer)
  }

  watch(
    { topics, lastEventId }: { topics: EventTopics; lastEventId: string | undefined },
    onClosed: () => void,
  ): EventStream {
    const stream: EventStream = new EventStream({
      ring: this.#ring,
      topics,
      lastEventId,
      nowMs: this.#parts.nowMs,
      onClosed: () => {
        if (this.streams.delete(stream)) onClosed()
      },
    })
    this.streams.add(stream)
    // Sent again, since a new listener has not seen the last counts.
    if (topics.queue) this.#lastQueue = undefined
    return stream
  }

  taskChanged(change: TaskChange): void {
    // Deleted first, so that the order is that of the last changes.
    this.#changes.delete(change.taskId)
    if (this.#changes.size < changesMax) this.#changes.set(change.taskId, change)
    else this.#uncounted[change.status] = (this.#uncounted[change.status] ?? 0) + 1
    this.#flushSoon()
  }

  jobChanged(jobId: string): void {
    if (this.#jobs.size < jobsMax) this.#jobs.add(jobId)
    else this.#isReset = true
    this.#flushSoon()
  }

  /** Something was missed: listeners have to read again what they show. */
  reset(): void {
    this.#isReset = true
    this.#flushSoon()
  }

  #flushSoon(): void {
    if (this.#isDisposed) return
    this.#flushTimer ??= setTimeout(() => void this.#flush(), flushIntervalMs).unref()
  }

  async #flush(): Promise<void> {
    const at = isoTime(this.#parts.nowMs())
    const [changes, uncounted, jobIds] = [[...this.#changes.values()], this.#uncounted, this.#jobs]
    this.#changes = new Map()
    this.#uncounted = {}
    this.#jobs = new Set()
    if (this.#isReset) this.#ring.add({ type: 'reset', at })
    this.#isReset = false
    const watchedIds = new Set([...this.streams].flatMap(({ topics }) => [...topics.taskIds]))
    for (const event of planTaskEvents(changes, { uncounted, watchedIds, at })) {
      this.#ring.add(event)
    }
    this.#pumpAll()
    await this.#sendJobs(jobIds)
    this.#flushTimer = undefined
    if (this.#changes.size + this.#jobs.size > 0 || this.#isReset) this.#flushSoon()
  }

  async #sendJobs(ids: ReadonlySet<string>): Promise<void> {
    if (ids.size === 0) return
    try {
      const jobs = await this.#parts.readJobs([...ids])
      const at = isoTime(this.#parts.nowMs())
      for (const job of jobs) this.#ring.add({ type: 'job', ...job, at })
      this.#pumpAll()
    } catch (error) {
      this.#parts.log.debug({ err: error }, 'Failed to read jobs for their listeners; retrying.')
      for (const id of ids) this.jobChanged(id)
    }
  }

  async #readQueue(): Promise<void> {
    if (![...this.streams].some(({ topics }) => topics.queue)) return
    try {
      const counts = await this.#parts.readQueue()
      const last = this.#lastQueue
      if (last?.waiting === counts.waiting && last.running === counts.running) return
      this.#lastQueue = counts
      this.#ring.add({ type: 'queue', ...counts, at: isoTime(this.#parts.nowMs()) })
      this.#pumpAll()
    } catch (error) {
      this.#parts.log.debug({ err: error }, 'Failed to count the queue for listeners; retrying.')
    }
  }

  #pumpAll(): void {
    for (const stream of this.streams) stream.pump()
  }
}
