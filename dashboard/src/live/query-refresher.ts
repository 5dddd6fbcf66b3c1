import type { QueryClient } from '@tanstack/react-query'
import type { TrawlEvent } from '@trawl/sdk'

interface Pace {
  /** From the first event until what it made out of date is read again. */
  pauseMs: number
  /** How old an event must be to be in what is read. */
  settledMs: number
}

// Lists follow at once, but not each of many events. The service writes its counts every two seconds.
const paces: Record<keyof QueriesOfEvent, Pace> = {
  now: { pauseMs: 500, settledMs: 0 },
  soon: { pauseMs: 4_000, settledMs: 3_000 },
}

/** Reads again what events made out of date, of the queries that are shown, not more often than needed. */
export class QueryRefresher {
  readonly #due: Record<keyof QueriesOfEvent, DueQueries>

  constructor(client: Pick<QueryClient, 'invalidateQueries'>) {
    const refresh = (queryKey: QueryPrefix) => {
      void client.invalidateQueries({ queryKey: [...queryKey] })
    }
    this.#due = {
      now: new DueQueries(paces.now, refresh),
      soon: new DueQueries(paces.soon, refresh),
    }
  }

  hear(event: TrawlEvent): void {
    const queries = queriesOfEvent(event)
    for (const when of ['now', 'soon'] as const) this.#due[when].add(queries[when])
  }

  stop(): void {
    for (const due of Object.values(this.#due)) due.clear()
  }
}

/** Queries that are read again together, once a while after the first of them was due. */
class DueQueries {
  readonly #pace: Pace
  readonly #refresh: (query: QueryPrefix) => void
  readonly #byName = new Map<string, QueryPrefix>()
  /** Due once more, as their events came too late for the next reading. */
  readonly #lateByName = new Map<string, QueryPrefix>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #readAtMs = 0

  constructor(pace: Pace, refresh: (query: QueryPrefix) => void) {
    this.#pace = pace
    this.#refresh = refresh
  }

  add(queries: readonly QueryPrefix[]): void {
    if (queries.length === 0) return
    const nowMs = Date.now()
    const { pauseMs, settledMs } = this.#pace
    const isLate = this.#timer !== undefined && this.#readAtMs - nowMs < settledMs
    for (const query of queries) {
      this.#byName.set(query.join(), query)
      if (isLate) this.#lateByName.set(query.join(), query)
    }
    if (this.#timer !== undefined) return
    this.#readAtMs = nowMs + pauseMs
    this.#timer = setTimeout(() => this.#read(), pauseMs)
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#byName.clear()
    this.#lateByName.clear()
  }

  #read(): void {
    const everything = this.#byName.get('')
    const due = everything ? [everything] : [...this.#byName.values()]
    const late = [...this.#lateByName.values()]
    this.clear()
    for (const query of due) this.#refresh(query)
    this.add(late)
  }
}

/** The beginning of the keys of queries; an empty one is all of them. */
type QueryPrefix = readonly string[]

interface QueriesOfEvent {
  /** What an event has changed already. */
  now: readonly QueryPrefix[]
  /** What is counted, and counted a moment later. */
  soon: readonly QueryPrefix[]
}

const charts: readonly QueryPrefix[] = [['series'], ['domains'], ['statistics']]

/** They begin with the end of a task or job, and have no events of their own. */
const deliveries: readonly QueryPrefix[] = [['deliveries']]

/** The queries that an event makes out of date. */
function queriesOfEvent(event: TrawlEvent): QueriesOfEvent {
  switch (event.type) {
    case 'task':
      return {
        now: [['tasks'], ['task', event.task_id], ...(isEnd[event.status] ? deliveries : [])],
        soon: isEnd[event.status] ? charts : [],
      }
    case 'tasks':
      return { now: [['tasks'], ['task'], ...deliveries], soon: charts }
    case 'job':
      // Pages that a cancelled job never began have no events of their own.
      return { now: [['jobs'], ['job', event.job_id], ['tasks'], ...deliveries], soon: [] }
    case 'queue':
      return { now: [['pressure']], soon: [['series']] }
    case 'reset':
      return { now: [[]], soon: charts }
  }
}

const isEnd = { queued: false, processing: false, completed: true, failed: true, cancelled: true }
