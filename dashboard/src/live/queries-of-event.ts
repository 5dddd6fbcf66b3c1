import type { TrawlEvent } from '@trawl/sdk'

/** The beginning of the keys of queries; an empty one is all of them. */
export type QueryPrefix = readonly string[]

export interface QueriesOfEvent {
  /** What an event has changed already. */
  now: readonly QueryPrefix[]
  /** What is counted, and counted a moment later. */
  soon: readonly QueryPrefix[]
}

const charts: readonly QueryPrefix[] = [['series'], ['domains'], ['statistics']]

/** They begin with the end of a task or job, and have no events of their own. */
const deliveries: readonly QueryPrefix[] = [['deliveries']]

/** The queries that an event makes out of date. */
export function queriesOfEvent(event: TrawlEvent): QueriesOfEvent {
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
