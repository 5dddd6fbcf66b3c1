/**
 * Open work without a queue entry, which no worker would ever find. Work and entry are written and removed in one commit,
 * so there is none unless rows were lost. A table is read in slices, newest first, by its primary key: an index of what
 * is open would cost every task something, for rows that are hardly ever found.
 */
import { forUpdate, type Statement, sql } from './statement.ts'

/** Ids from the one on and below the other; without them, from the oldest or to the newest. */
interface Slice {
  from: string | undefined
  before: string | undefined
}

/** The statements about one kind of work. */
export interface OrphanQueries {
  /** The lowest id of a slice of so many rows; none if there are fewer. */
  findSliceStart(before: string | undefined, count: number): Statement<string>
  list(slice: Slice, limit: number): Statement<string>
  /** Returns a row if the work is still open, which then nobody can end before the commit. */
  lockOpen(id: string): Statement<{ id: string }>
}

export const orphanedTasks: OrphanQueries = {
  findSliceStart: (before, count) =>
    sql<{ id: string }>`
      select id from tasks where ${within(sql`id`, { from: undefined, before })}
      order by id desc limit 1 offset ${count - 1}`.map(idOf),
  // A page of a crawl has no entry until the crawl queues it, which sets its host.
  list: (slice, limit) =>
    sql<{ id: string }>`
      select tasks.id from tasks
      left join jobs on jobs.id = tasks.job_id and jobs.kind = 'crawl'
      where ${within(sql`tasks.id`, slice)} and tasks.state = 'open'
        and (jobs.id is null or tasks.crawl_host is not null)
        and not exists (select 1 from queue_entries where queue_entries.id = tasks.id)
      order by tasks.id desc
      limit ${limit}`.map(idOf),
  lockOpen: (id) =>
    sql<{ id: string }>`select id from tasks where id = ${id} and state = 'open' ${forUpdate}`,
}

export const orphanedDeliveries: OrphanQueries = {
  findSliceStart: (before, count) =>
    sql<{ id: string }>`
      select id from deliveries where ${within(sql`id`, { from: undefined, before })}
      order by id desc limit 1 offset ${count - 1}`.map(idOf),
  // Those of a paused webhook get their entries when it is resumed.
  list: (slice, limit) =>
    sql<{ id: string }>`
      select deliveries.id from deliveries
      left join webhooks on webhooks.id = deliveries.webhook_id
      where ${within(sql`deliveries.id`, slice)} and deliveries.state = 'pending'
        and coalesce(webhooks.is_active, 1) = 1
        and not exists (select 1 from queue_entries where queue_entries.id = deliveries.id)
      order by deliveries.id desc
      limit ${limit}`.map(idOf),
  lockOpen: (id) =>
    sql<{ id: string }>`
      select id from deliveries where id = ${id} and state = 'pending' ${forUpdate}`,
}

/** A condition. Every id is at least the empty text. */
const within = (column: Statement<unknown>, { from = '', before }: Slice): Statement<unknown> =>
  before === undefined
    ? sql`${column} >= ${from}`
    : sql`${column} >= ${from} and ${column} < ${before}`

const idOf = ({ id }: { id: string }): string => id
