/**
 * Open work without a queue entry, which no worker would ever find. Work and entry are written and removed in one commit,
 * so there is none unless rows were lost. A table is read in slices, newest first, by its primary key: an index of what
 * is open would cost every task something, for rows that are hardly ever found.
 */
import { forUpdate, type Statement, sql, sqlValue } from '../statement.ts'

/** Ids from the one on and below the other; without them, from the oldest or to the newest. */
interface Slice {
  from: string | undefined
  before: string | undefined
}

interface OrphanTable {
  table: Statement<unknown>
  openState: string
  /** Whether open work has an entry at this moment, as long as none was lost. */
  isExpectedInQueue: Statement<unknown>
}

export const orphanedTasks = orphansIn({
  table: sql`tasks`,
  openState: 'open',
  // A page of a crawl has no entry until the crawl queues it, which sets its host.
  isExpectedInQueue: sql`not exists (select 1 from jobs
    where jobs.id = tasks.job_id and jobs.kind = 'crawl' and tasks.crawl_host is null)`,
})

export const orphanedDeliveries = orphansIn({
  table: sql`deliveries`,
  openState: 'pending',
  // Those of a paused webhook get their entries when it is resumed.
  isExpectedInQueue: sql`not exists (select 1 from webhooks
    where webhooks.id = deliveries.webhook_id and webhooks.is_active = 0)`,
})

/** The statements about one kind of work. */
export type OrphanQueries = ReturnType<typeof orphansIn>

function orphansIn({ table, openState, isExpectedInQueue }: OrphanTable) {
  const isOpen = sql`${table}.state = ${openState}`
  return {
    /** The lowest id of a slice of so many rows; none if there are fewer. */
    findSliceStart: (before: string | undefined, count: number) =>
      sqlValue<string>`
        select ${table}.id from ${table} where ${within(table, { from: undefined, before })}
        order by ${table}.id desc limit 1 offset ${count - 1}`,
    list: (slice: Slice, limit: number) =>
      sqlValue<string>`
        select ${table}.id from ${table}
        where ${within(table, slice)} and ${isOpen} and ${isExpectedInQueue}
          and not exists (select 1 from queue_entries where queue_entries.id = ${table}.id)
        order by ${table}.id desc
        limit ${limit}`,
    /** Returns a row if the work is still open, which then nobody can end before the commit. */
    lockOpen: (id: string) =>
      sql<{ id: string }>`
        select ${table}.id from ${table} where ${table}.id = ${id} and ${isOpen} ${forUpdate}`,
  }
}

/** A condition. Every id is at least the empty text. */
const within = (table: Statement<unknown>, { from = '', before }: Slice): Statement<unknown> =>
  before === undefined
    ? sql`${table}.id >= ${from}`
    : sql`${table}.id >= ${from} and ${table}.id < ${before}`
