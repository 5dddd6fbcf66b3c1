/**
 * Server-sent events: what happens to the tasks and jobs of an account, for those who listen. Nothing is
 * stored and nothing is promised beyond `reset`: an event says that something changed, the store says how
 * it stands. While nobody listens for an account, a change costs two lookups in empty maps.
 */
import type { Readable } from 'node:stream'
import { Failure, type FailureCode } from '../domain/failure.ts'
import { jobStatus, type ListedJob } from '../domain/job/job.ts'
import type { Task, TaskStatus } from '../domain/task/task.ts'
import { waitAtMost } from '../runtime/deadline.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { findJobProgress } from '../storage/queries/jobs.ts'
import type { EventTopics } from '../wire/events/requests.ts'
import { AccountChannel, type QueueCounts } from './account-channel.ts'
import { EventPeers } from './event-peers.ts'
import type { EventStream } from './event-stream.ts'

/** Where use cases report a change, after its commit. */
export interface EventReporter {
  taskChanged(task: Pick<Task, 'id' | 'accountId' | 'job'>, status: TaskStatus): void
  jobChanged(job: { id: string; accountId: string }): void
}

interface Listening {
  topics: EventTopics
  lastEventId: string | undefined
  /** Rejects with a code of `accessLost` once the credentials of the listener are no longer valid. */
  authenticate(): Promise<unknown>
}

interface EventHubParts {
  db: Database
  log: Log
  /** The waiting and running tasks of an account. */
  readQueue(accountId: string): Promise<QueueCounts>
}

export interface EventLimits {
  streamsMax: number
  streamsPerAccountMax: number
}

const limitsByDefault: EventLimits = { streamsMax: 1_000, streamsPerAccountMax: 100 }
const pingIntervalMs = 15_000
/** Credentials that were withdrawn end a stream within 3 s, as they end everything else. */
const accessIntervalMs = 1_000
/** Wrong credentials are 429 instead of 401 where an address has sent too many of them. */
const accessLost: ReadonlySet<FailureCode> = new Set(['UNAUTHORIZED', 'RATE_LIMITED'])
/** A listener that reconnects within this time gets what it missed. */
const lingerMs = 60_000
const announceMsMax = 2_000
const lastReadMs = 500

export class EventHub implements EventReporter, AsyncDisposable {
  readonly #parts: EventHubParts
  readonly #limits: EventLimits
  readonly #channels = new Map<string, AccountChannel>()
  readonly #lingering = new Map<string, NodeJS.Timeout>()
  readonly #listeners = new Map<EventStream, Listening>()
  readonly #peers: EventPeers
  readonly #timers: NodeJS.Timeout[]
  #isEnded = false

  constructor(parts: EventHubParts, limits = limitsByDefault) {
    this.#parts = parts
    this.#limits = limits
    this.#peers = new EventPeers({
      db: parts.db,
      log: parts.log,
      watchedHere: () => [...this.#channels.keys()],
      onTaskChanged: (accountId, change) => this.#channels.get(accountId)?.taskChanged(change),
      onJobChanged: (accountId, jobId) => this.#channels.get(accountId)?.jobChanged(jobId),
      onMissed: () => {
        for (const channel of this.#channels.values()) channel.reset()
      },
    })
    this.#timers = [
      setInterval(() => this.#pingAll(), pingIntervalMs).unref(),
      setInterval(() => this.checkAccess(), accessIntervalMs).unref(),
    ]
  }

  /** How many listeners this process has. */
  get streamsCount(): number {
    return this.#listeners.size
  }

  taskChanged(
    { id, accountId, job }: Parameters<EventReporter['taskChanged']>[0],
    status: TaskStatus,
  ) {
    const channel = this.#channels.get(accountId)
    const isWatchedElsewhere = this.#peers.isWatchedElsewhere(accountId)
    if (!channel && !isWatchedElsewhere) return
    const change = { taskId: id, jobId: job?.id ?? null, status }
    channel?.taskChanged(change)
    if (isWatchedElsewhere) this.#peers.taskChanged(accountId, change)
  }

  jobChanged({ id, accountId }: { id: string; accountId: string }): void {
    this.#channels.get(accountId)?.jobChanged(id)
    if (this.#peers.isWatchedElsewhere(accountId)) this.#peers.jobChanged(accountId, id)
  }

  /** The events of the account from now on, or from the last event that the listener got. */
  watch(accountId: string, listening: Listening): Readable {
    if (this.#isEnded) throw new Failure('SHUTTING_DOWN', 'This process is shutting down.')
    const { streamsMax, streamsPerAccountMax } = this.#limits
    const ofAccount = this.#channels.get(accountId)?.streams.size ?? 0
    if (this.#listeners.size >= streamsMax || ofAccount >= streamsPerAccountMax) throw tooMany()
    const channel = this.#channelOf(accountId)
    const stream = channel.watch(listening, () => {
      this.#listeners.delete(stream)
      if (channel.streams.size === 0) this.#linger(accountId, channel)
    })
    this.#listeners.set(stream, listening)
    // The first bytes say that no event is missed from now on, so other processes have to know before.
    void waitAtMost(this.#peers.announce(accountId), announceMsMax).then(() => stream.open())
    return stream
  }

  /** Ends the streams of listeners whose credentials are no longer valid. */
  checkAccess(): void {
    for (const [stream, { authenticate }] of this.#listeners) {
      authenticate().catch((error) => {
        // A store that does not answer says nothing about the credentials.
        if (error instanceof Failure && accessLost.has(error.code)) stream.end()
      })
    }
  }

  /** Graceful shutdown: listeners connect to another process, and closing waits for none of them. */
  endStreams(): void {
    this.#isEnded = true
    const streams = [...this.#listeners.keys()]
    for (const stream of streams) stream.end()
    // The end does not reach a listener that does not read.
    setTimeout(() => {
      for (const stream of streams) stream.destroy()
    }, lastReadMs).unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.endStreams()
    for (const timer of [...this.#timers, ...this.#lingering.values()]) clearInterval(timer)
    for (const channel of this.#channels.values()) channel[Symbol.dispose]()
    this.#channels.clear()
    await this.#peers[Symbol.asyncDispose]()
  }

  #channelOf(accountId: string): AccountChannel {
    clearTimeout(this.#lingering.get(accountId))
    this.#lingering.delete(accountId)
    const known = this.#channels.get(accountId)
    if (known) return known
    const { db, log, readQueue } = this.#parts
    const channel = new AccountChannel({
      log,
      nowMs: () => db.nowMs(),
      readQueue: () => readQueue(accountId),
      readJobs: async (ids) => {
        const rows = await db.transaction(ids.map((id) => findJobProgress({ id, accountId })))
        return rows.flat().map(toJobEvent)
      },
    })
    this.#channels.set(accountId, channel)
    this.#dropLongestUnused()
    return channel
  }

  /** Keeps the events of the account for a while, for a listener that lost its connection. */
  #linger(accountId: string, channel: AccountChannel): void {
    const drop = () => {
      this.#lingering.delete(accountId)
      this.#channels.delete(accountId)
      channel[Symbol.dispose]()
    }
    if (this.#isEnded) drop()
    else this.#lingering.set(accountId, setTimeout(drop, lingerMs).unref())
  }

  /** Each channel takes memory, so no more are kept than there may be listeners. */
  #dropLongestUnused(): void {
    const [oldest] = this.#lingering
    if (this.#channels.size <= this.#limits.streamsMax || oldest === undefined) return
    const [accountId, timer] = oldest
    clearTimeout(timer)
    this.#lingering.delete(accountId)
    this.#channels.get(accountId)?.[Symbol.dispose]()
    this.#channels.delete(accountId)
  }

  #pingAll(): void {
    for (const stream of this.#listeners.keys()) stream.ping()
  }
}

const toJobEvent = ({ id, kind, counts, completedAtMs, ...job }: Omit<ListedJob, 'request'>) => {
  const { total, open: pending, ...ended } = counts
  return {
    job_id: id,
    kind,
    status: jobStatus(job),
    counts: { total, pending, ...ended },
    is_ended: completedAtMs !== null,
  }
}

const tooMany = () =>
  new Failure('RATE_LIMITED', 'Too many event streams are open. Close one, or wait.', {
    retryAfterSeconds: 5,
  })
