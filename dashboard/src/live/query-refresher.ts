import type { QueryClient } from '@tanstack/react-query'
import type { TrawlEvent } from '@trawl/sdk'

/** Reads again what events made out of date, of the queries that are shown, not more often than needed. */
export class QueryRefresher {
  readonly #due: Record<keyof QueriesOfEvent, DueQueries>

  constructor(client: Pick<QueryClient, 'invalidateQueries'>) {
    const refresh = (queryKey: QueryPrefix) => {
      void client.invalidateQueries({ queryKey: [...queryKey] })
    }
    // Lists follow at once, but not each of many events. The service writes its counts every two seconds.
    this.#due = {
      now: collectDue({ pauseMs: 500, settledMs: 0, refresh }),
      soon: collectDue({ pauseMs: 4_000, settledMs: 3_000, refresh }),
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

interface DueQueries {
  add(queries: readonly QueryPrefix[]): void
  clear(): void
}

/** Collects queries that are read again together, once a while after the first of them was due. */
function collectDue(pace: {
  /** From the first event until what it made out of date is read again. */
  pauseMs: number
  /** How old an event must be to be in what is read. */
  settledMs: number
  refresh: (query: QueryPrefix) => void
}): DueQueries {
  const { pauseMs, settledMs, refresh } = pace
  const dueByName = new Map<string, QueryPrefix>()
  /** Due once more, as their events came too late for the next reading. */
  const lateByName = new Map<string, QueryPrefix>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let readAtMs = 0
  return { add, clear }

  function add(queries: readonly QueryPrefix[]): void {
    if (queries.length === 0) return
    const isLate = timer !== undefined && readAtMs - Date.now() < settledMs
    for (const query of queries) {
      dueByName.set(query.join(), query)
      if (isLate) lateByName.set(query.join(), query)
    }
    if (timer !== undefined) return
    readAtMs = Date.now() + pauseMs
    timer = setTimeout(read, pauseMs)
  }

  function clear(): void {
    clearTimeout(timer)
    timer = undefined
    dueByName.clear()
    lateByName.clear()
  }

  function read(): void {
    const everything = dueByName.get('')
    const due = everything ? [everything] : [...dueByName.values()]
    const late = [...lateByName.values()]
    clear()
    for (const query of due) refresh(query)
    add(late)
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
