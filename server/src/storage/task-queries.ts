import type { FailureCode } from '../domain/failure.ts'
import type { JobKind } from '../domain/job/job.ts'
import type { ListedTask } from '../domain/task/listed-task.ts'
import type { Task, TaskProgress, TaskStatus } from '../domain/task/task.ts'
import type { Sealer } from '../runtime/seal.ts'
import { taskListing, type UrlRow } from './listings.ts'
import { commaSeparated, type Statement, sql } from './statement.ts'
import {
  type ListedTaskRow,
  progressColumns,
  type TaskRow,
  toListedTask,
  toTask,
} from './stored-tasks.ts'
import { fewOfAccount, ofAccountWithStatus } from './tasks-table.ts'

/** Which tasks to find; the store has an index for each of these. */
export interface TaskFilter {
  accountId: string
  status?: TaskStatus | undefined
  jobId?: string | undefined
  createdFromMs?: number | undefined
  createdToMs?: number | undefined
}

/** What no index serves: it is looked for among the newest tasks only. */
export interface TaskTraits {
  host?: string | undefined
  code?: FailureCode | undefined
}

/** A task of any kind, as a search finds it. */
export interface SearchedTask extends ListedTask, TaskOrigin {}

/** What the tables beside it say of a task. */
export interface TaskOrigin {
  /** The kind of the job that it belongs to. */
  jobKind: JobKind | null
  /** The size of the stored result; null where there is none. */
  bytes: number | null
}

const originColumns = sql`jobs.kind as job_kind, results.bytes as result_bytes`

const withJobAndResult = sql`
    left join jobs on jobs.id = tasks.job_id
    left join results on results.task_id = tasks.id`

/**
 * Newest first. With traits, only the newest `searchedMax` tasks are looked at. The page is cut before its
 * rows are read: those before it may be thousands.
 */
export function searchTaskRows(
  sealer: Sealer,
  { filter, traits }: { filter: TaskFilter; traits: TaskTraits },
  { limit, offset, searchedMax }: { limit: number; offset: number; searchedMax: number },
): Statement<SearchedTask> {
  const lookedAt = newest(filter, hasTraits(traits) ? searchedMax : offset + limit, { traits })
  return sql<SearchedRow>`
    select ${progressColumns}, ${taskListing}, ${originColumns}
    from (select * from (${lookedAt}) as newest
          where is_candidate = 1
          order by created_at_ms desc, id desc
          limit ${limit} offset ${offset}) as page
    join tasks on tasks.id = page.id
    ${withJobAndResult}
    order by page.created_at_ms desc, page.id desc`
    .map((row) => toSearchedTask(sealer, row))
    .slow()
}

/** The same by their ids. */
export const listSearchedTasks = (
  sealer: Sealer,
  { accountId }: TaskFilter,
  ids: readonly string[],
): Statement<SearchedTask> =>
  sql<SearchedRow>`
    select ${progressColumns}, ${taskListing}, ${originColumns}
    from tasks
    ${withJobAndResult}
    where tasks.account_id = ${accountId} and tasks.id in (${commaSeparated(ids)})
    order by tasks.created_at_ms desc, tasks.id desc`
    .map((row) => toSearchedTask(sealer, row))
    .slow()

/** What a search by a part of the URL looks at, from a place on; rows without the traits have no URL. */
export const listTaskUrlsAfter = (
  { filter, traits }: { filter: TaskFilter; traits: TaskTraits },
  { after, limit }: { after: UrlRow | undefined; limit: number },
): Statement<UrlRow> =>
  sql<UrlRow>`
    select tasks.id, tasks.account_id as "accountId", tasks.created_at_ms as "createdAtMs",
           tasks.url, ${taskListing}, newest.is_candidate as "isCandidate"
    from (${newest(filter, limit, { traits, after })}) as newest
    join tasks on tasks.id = newest.id
    order by newest.created_at_ms desc, newest.id desc`.slow()

/**
 * With traits, looks at the newest `searchedMax` tasks; `matching` is how many of them have the traits.
 * Otherwise counts so many of each part, as merging them takes longer than counting.
 */
export const countTaskRows = (
  { filter, traits }: { filter: TaskFilter; traits: TaskTraits },
  searchedMax: number,
): Statement<{ seen: number; matching: number }> =>
  hasTraits(traits)
    ? sql<{ seen: number; matching: number }>`
        select count(*) as seen, count(*) filter (where is_candidate = 1) as matching
        from (${newest(filter, searchedMax, { traits })}) as newest`.slow()
    : sql<{ seen: number; matching: number }>`
        select count(*) as seen, count(*) as matching
        from (${newestOfEach(filter, searchedMax, { traits })}) as counted`.slow()

export const findWholeTask = (
  sealer: Sealer,
  task: { id: string; accountId: string },
): Statement<Task & TaskProgress & TaskOrigin> =>
  sql<TaskRow & OriginRow>`
    select ${progressColumns}, tasks.callback_url, tasks.callback_on_failure, tasks.request,
           tasks.metadata, ${originColumns}
    from tasks
    ${withJobAndResult}
    where tasks.id = ${task.id} and tasks.account_id = ${task.accountId}`.map((row) => ({
    ...toTask(sealer, row),
    ...toOrigin(row),
  }))

/**
 * The places of the newest tasks. Single tasks and pages of jobs have indexes of their own, each in this
 * order, so that accepting a single task writes no second one; the two are merged here.
 */
function newest(filter: TaskFilter, limit: number, more: NewestOptions): Statement<unknown> {
  return sql`
    select * from (${newestOfEach(filter, limit, more)}) as merged
    order by created_at_ms desc, id desc
    limit ${limit}`
}

interface NewestOptions {
  traits: TaskTraits
  after?: UrlRow | undefined
}

/** The newest single tasks and the newest pages of jobs, so many of each. */
const newestOfEach = (
  filter: TaskFilter,
  limit: number,
  { traits, after }: NewestOptions,
): Statement<unknown> =>
  partsOf(filter)
    .map(
      (condition) => sql`
      select * from (
        select tasks.id, tasks.created_at_ms,
               case when ${withTraits(traits)} then 1 else 0 end as is_candidate
        from tasks
        where ${condition} and ${isAfter(after)}
        order by tasks.created_at_ms desc, tasks.id desc
        limit ${limit}) as part`,
    )
    .reduce((all, part) => sql`${all} union all ${part}`)

/** Single tasks, and pages of jobs. */
function partsOf(filter: TaskFilter): Statement<unknown>[] {
  const { accountId, status, jobId } = filter
  const single = jobId === undefined ? [ofAccountWithStatus(accountId, status)] : []
  return [...single, pagesOf(filter)].map((part) => sql`${part} and ${created(filter)}`)
}

/** Pages of jobs. Open ones belong to jobs that have not ended, which are few. */
function pagesOf({ accountId, status, jobId }: TaskFilter): Statement<unknown> {
  const ofJob = jobId === undefined ? sql`tasks.job_id is not null` : sql`tasks.job_id = ${jobId}`
  const pages = sql`tasks.account_id = ${accountId} and ${ofJob}`
  const open = sql`${fewOfAccount(accountId)} and ${ofJob} and tasks.state = 'open'
    and tasks.job_id in (select jobs.id from jobs
                         where jobs.account_id = ${accountId} and jobs.completed_at_ms is null)`
  const isStarted = sql`
    exists (select 1 from queue_entries
            where queue_entries.id = tasks.id and queue_entries.started_at_ms is not null)`
  if (status === undefined) return pages
  const withStatus = {
    queued: () => sql`${open} and not ${isStarted}`,
    processing: () => sql`${open} and ${isStarted}`,
    completed: () => sql`${pages} and tasks.state = 'completed'`,
    failed: () => sql`${pages} and tasks.state = 'failed'`,
    cancelled: () => sql`${pages} and tasks.state = 'cancelled'`,
  } satisfies Record<TaskStatus, () => Statement<unknown>>
  return withStatus[status]()
}

const created = ({ createdFromMs, createdToMs }: TaskFilter): Statement<unknown> => {
  const from =
    createdFromMs === undefined ? sql`` : sql`and tasks.created_at_ms >= ${createdFromMs}`
  const to = createdToMs === undefined ? sql`` : sql`and tasks.created_at_ms <= ${createdToMs}`
  return sql`1 = 1 ${from} ${to}`
}

const isAfter = (place: UrlRow | undefined): Statement<unknown> =>
  place ? sql`(tasks.created_at_ms, tasks.id) < (${place.createdAtMs}, ${place.id})` : sql`1 = 1`

const hasTraits = ({ host, code }: TaskTraits): boolean => host !== undefined || code !== undefined

function withTraits({ host, code }: TaskTraits): Statement<unknown> {
  const ofHost = host === undefined ? sql`1 = 1` : sql`(${hasHost(host)})`
  const withCode = code === undefined ? sql`1 = 1` : sql`tasks.error_code = ${code}`
  return sql`${ofHost} and ${withCode}`
}

/** The stored part of a URL begins with scheme and host; without a port, the host of any port fits. */
function hasHost(host: string): Statement<unknown> {
  const escaped = host.replace(/[!%_]/g, (character) => `!${character}`)
  const ends = /:\d+$/.test(host) ? ['/%'] : ['/%', ':%']
  const patterns = ends.flatMap((end) => [`http://${escaped}${end}`, `https://${escaped}${end}`])
  return patterns
    .map((pattern) => sql`tasks.url like ${pattern} escape '!'`)
    .reduce((any, one) => sql`${any} or ${one}`)
}

interface OriginRow {
  job_kind: JobKind | null
  result_bytes: number | null
}

type SearchedRow = ListedTaskRow & OriginRow

const toSearchedTask = (sealer: Sealer, row: SearchedRow): SearchedTask => ({
  ...toListedTask(sealer, row),
  ...toOrigin(row),
})

const toOrigin = ({ job_kind, result_bytes }: OriginRow): TaskOrigin => ({
  jobKind: job_kind,
  bytes: result_bytes,
})
