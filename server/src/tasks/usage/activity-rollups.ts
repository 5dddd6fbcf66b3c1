import { parseUrl } from '../../domain/parse-url.ts'
import {
  type Activity,
  activityOf,
  addActivity,
  higherPeak,
  noActivity,
  type QueuePeak,
} from '../../domain/task/activity.ts'
import type { Task, TaskProgress } from '../../domain/task/task.ts'
import { utcDayOf, utcMinuteOf } from '../../domain/utc-time.ts'
import type { Log } from '../../runtime/log.ts'
import { sortableId } from '../../runtime/sortable-id.ts'
import type { Database } from '../../storage/database.ts'
import type { Statement } from '../../storage/statement.ts'
import { putHost, putMinute } from '../../storage/tables/activity-rollups.ts'

const flushIntervalMs = 2_000
// Bounds the size of one transaction, so that it does not block the store for others.
const writtenAtOnceMax = 200
/** More hosts of an account on one day are counted together under this name. */
export const otherHosts = '*'
const hostsMax = 1_000

/** What waits now, by account. */
type QueueSample = () => ReadonlyMap<string, QueuePeak>

/** A row that this process adds to in memory and writes again as a whole. */
interface Segment {
  activity: Activity
  isChanged: boolean
  put(activity: Activity): Statement<never>
}

/**
 * Counts ended tasks for the charts, in memory, and writes the sums every two seconds, with a sample of the
 * queue. The end of a task does not wait for that: a process that is killed loses two seconds of its
 * charts, and no statistics.
 */
export class ActivityRollups implements AsyncDisposable {
  readonly #db: Database
  readonly #log: Log
  readonly #queueOf: QueueSample
  /** By minute or day, so that those of the past can be dropped together. */
  #minutes = new Map<number, Map<string, Segment>>()
  #days = new Map<number, Map<string, Map<string, Segment>>>()
  readonly #timer: NodeJS.Timeout
  #flushing: Promise<void> | undefined

  constructor(db: Database, log: Log, queueOf: QueueSample = () => new Map()) {
    this.#db = db
    this.#log = log
    this.#queueOf = queueOf
    this.#timer = setInterval(() => {
      this.#sampleQueue()
      void this.#flush()
    }, flushIntervalMs)
    this.#timer.unref()
  }

  /** To be called once for each task whose end was committed. */
  count(task: Task & TaskProgress): void {
    const activity = activityOf(task)
    if (!activity || task.completedAtMs === null) return
    const { accountId } = task
    for (const segment of [
      this.#minuteOf(accountId, utcMinuteOf(task.completedAtMs)),
      this.#hostOf(accountId, utcDayOf(task.completedAtMs), hostIn(task.request.url)),
    ]) {
      addActivity(segment.activity, activity)
      segment.isChanged = true
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#flushing
    await this.#flush()
  }

  /** The highest numbers of a minute are kept; lower ones change no row. */
  #sampleQueue(): void {
    const utcMinute = utcMinuteOf(this.#db.nowMs())
    for (const [accountId, sample] of this.#queueOf()) {
      const segment = this.#minuteOf(accountId, utcMinute)
      const { queue: before } = segment.activity
      const peak = higherPeak(before, sample)
      if (peak.waiting === before?.waiting && peak.oldestAgeMs === before.oldestAgeMs) continue
      segment.activity.queue = peak
      segment.isChanged = true
    }
  }

  #minuteOf(accountId: string, utcMinute: number): Segment {
    const ofMinute = getOrAdd(this.#minutes, utcMinute, () => new Map<string, Segment>())
    return getOrAdd(ofMinute, accountId, () => {
      const segment = sortableId()
      return newSegment((activity) => putMinute({ accountId, utcMinute, segment, activity }))
    })
  }

  #hostOf(accountId: string, utcDay: number, host: string): Segment {
    const ofDay = getOrAdd(this.#days, utcDay, () => new Map<string, Map<string, Segment>>())
    const hosts = getOrAdd(ofDay, accountId, () => new Map<string, Segment>())
    const counted = hosts.has(host) || hosts.size < hostsMax ? host : otherHosts
    return getOrAdd(hosts, counted, () => {
      const segment = sortableId()
      return newSegment((activity) =>
        putHost({ accountId, utcDay, host: counted, segment, activity }),
      )
    })
  }

  async #flush(): Promise<void> {
    this.#flushing ??= this.#writeChanged()
      .catch((err) => this.#log.warn({ err }, 'failed to write the rollups for charts; retrying'))
      .finally(() => {
        this.#flushing = undefined
      })
    await this.#flushing
  }

  async #writeChanged(): Promise<void> {
    const changed = this.#changedSegments()
    for (let start = 0; start < changed.length; start += writtenAtOnceMax) {
      const chunk = changed.slice(start, start + writtenAtOnceMax)
      for (const segment of chunk) segment.isChanged = false
      try {
        await this.#db.transaction(chunk.map(({ put, activity }) => put(activity)))
      } catch (error) {
        for (const segment of chunk) segment.isChanged = true
        throw error
      }
    }
    this.#dropPast()
  }

  #changedSegments(): Segment[] {
    const minutes = [...this.#minutes.values()].flatMap((ofMinute) => [...ofMinute.values()])
    const hosts = [...this.#days.values()].flatMap((ofDay) =>
      [...ofDay.values()].flatMap((ofAccount) => [...ofAccount.values()]),
    )
    return [...minutes, ...hosts].filter(({ isChanged }) => isChanged)
  }

  /** A task that ends late for its minute begins another segment of it. */
  #dropPast(): void {
    const nowMs = this.#db.nowMs()
    for (const utcMinute of this.#minutes.keys()) {
      if (utcMinute < utcMinuteOf(nowMs)) dropWritten(this.#minutes, utcMinute, (one) => [one])
    }
    for (const utcDay of this.#days.keys()) {
      if (utcDay < utcDayOf(nowMs)) dropWritten(this.#days, utcDay, (one) => [...one.values()])
    }
  }
}

/** Drops the entry unless it has a segment that is still to be written. */
function dropWritten<Value>(
  byTime: Map<number, Map<string, Value>>,
  time: number,
  segmentsOf: (value: Value) => Segment[],
): void {
  const segments = [...(byTime.get(time)?.values() ?? [])].flatMap(segmentsOf)
  if (segments.every(({ isChanged }) => !isChanged)) byTime.delete(time)
}

const newSegment = (put: Segment['put']): Segment => ({
  activity: noActivity(),
  isChanged: false,
  put,
})

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const created = create()
  map.set(key, created)
  return created
}

const hostIn = (url: string): string => parseUrl(url)?.hostname ?? otherHosts
