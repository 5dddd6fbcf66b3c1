import type { FailureCode } from '../../domain/failure.ts'
import type { JobKind } from '../../domain/job/job.ts'
import type { FormatName } from '../../domain/scrape/extract-options.ts'
import type { SearchedTask, TaskOrigin } from '../../domain/task/listed-task.ts'
import type { Task, TaskProgress, TaskStatus } from '../../domain/task/task.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import { commaSeparated, type Statement, sql, sqlValue } from '../statement.ts'
import { fewOfAccount, ofAccountWithStatus } from '../tables/tasks.ts'
import { taskListing, type UrlRow } from './listings.ts'
import {
  type ListedTaskRow,
  progressColumns,
  type TaskRow,
  toListedTask,
  toTask,
} from './stored-tasks.ts'

export interface TaskFilter {
  accountId: string
  id?: string | undefined
  status?: TaskStatus | undefined
  format?: FormatName | undefined
  /** Only pages of this job. */
  jobId?: string | undefined
  /** Only tasks of no job. */
  isSingle?: true
  createdFromMs?: number | undefined
  createdToMs?: number | undefined
}

/** What few tasks have and no index serves: it is looked for among the newest tasks only. */
export interface TaskTraits {
  host?: string | undefined
  code?: FailureCode | undefined
}

/** Where a task stands among the newest. */
interface Place {
  id: string
  createdAtMs: number
}

/** Whether it has the traits that are looked for as well. */
export interface TaskPlace extends Place {
  isCandidate: number
}

const originColumns = sql`jobs.kind as job_kind, results.bytes as result_bytes`

const withJobAndResult = sql`
    left join jobs on jobs.id = tasks.job_id
    left join results on results.task_id = tasks.id`

/** Newest first, from a place on. The page is cut before its rows are read. */
export const searchTaskRows = (
  sealer: Sealer,
  filter: TaskFilter,
  { after, limit, offset }: { after: Place | undefined; limit: number; offset: number },
): Statement<SearchedTask> =>
  sql<SearchedRow>`
    select ${progressColumns}, ${taskListing}, ${originColumns}
    from (select id, created_at_ms
          from (${newest(filter, offset + limit, { traits: {}, after })}) as newest
          order by created_at_ms desc, id desc
          limit ${limit} offset ${offset}) as page
    join tasks on tasks.id = page.id
    ${withJobAndResult}
    order by page.created_at_ms desc, page.id desc`
    .map((row) => toSearchedTask(sealer, row))
    .slow()

/** The last of so many from a place on; none if there are fewer. */
export const findLastOf = (
  filter: TaskFilter,
  { after, count }: { after: Place | undefined; count: number },
): Statement<Place> =>
  sql<Place>`
    select id, created_at_ms as "createdAtMs"
    from (${newest(filter, count, { traits: {}, after })}) as newest
    order by created_at_ms desc, id desc
    limit 1 offset ${count - 1}`.slow()

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

/** What a search by traits looks at, from a place on. */
export const listTaskPlacesAfter = (
  { filter, traits }: { filter: TaskFilter; traits: TaskTraits },
  { after, limit }: { after: TaskPlace | undefined; limit: number },
): Statement<TaskPlace> =>
  sql<TaskPlace>`
    select id, created_at_ms as "createdAtMs", is_candidate as "isCandidate"
    from (${newest(filter, limit, { traits, after })}) as newest
    order by created_at_ms desc, id desc`.slow()

/** What a search by a part of the URL looks at, from a place on. */
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

/** Counts single tasks and pages of jobs to `countMax` each, as merging them takes longer than counting. */
export const countTaskRows = (filter: TaskFilter, countMax: number) =>
  sqlValue<number>`
    select count(*)
    from (${unionOf(
      filter,
      (part) => sql`
      select id from (
        select tasks.id from tasks
        where ${part}
        order by tasks.created_at_ms desc, tasks.id desc
        limit ${countMax}) as part`,
    )}) as counted`.slow()

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
 * order, so that accepting a single task writes no second one; so many of each are merged here.
 */
const newest = (
  filter: TaskFilter,
  limit: number,
  { traits, after }: NewestOptions,
): Statement<unknown> =>
  sql`
    select * from (${unionOf(
      filter,
      (part) => sql`
      select * from (
        select tasks.id, tasks.created_at_ms,
               case when ${withTraits(traits)} then 1 else 0 end as is_candidate
        from tasks
        where ${part} and ${isAfter(after)}
        order by tasks.created_at_ms desc, tasks.id desc
        limit ${limit}) as part`,
    )}) as merged
    order by created_at_ms desc, id desc
    limit ${limit}`

interface NewestOptions {
  traits: TaskTraits
  after?: Place | undefined
}

/** Of single tasks and of pages of jobs. */
const unionOf = (
  filter: TaskFilter,
  select: (part: Statement<unknown>) => Statement<unknown>,
): Statement<unknown> =>
  partsOf(filter)
    .map(select)
    .reduce((all, part) => sql`${all} union all ${part}`)

/** Single tasks, and pages of jobs. */
function partsOf(filter: TaskFilter): Statement<unknown>[] {
  const { accountId, status, jobId, isSingle } = filter
  const single = jobId === undefined ? [ofAccountWithStatus(accountId, status)] : []
  const pages = isSingle ? [] : [pagesOf(filter)]
  return [...single, ...pages].map((part) => sql`${part} and ${matching(filter)}`)
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

function matching({ id, format, createdFromMs, createdToMs }: TaskFilter): Statement<unknown> {
  const conditions = [
    ...(id === undefined ? [] : [sql`tasks.id = ${id}`]),
    // A scrape, which names no formats, returns HTML.
    ...(format === undefined
      ? []
      : [sql`coalesce(tasks.formats, ' html ') like ${`% ${format} %`}`]),
    ...(createdFromMs === undefined ? [] : [sql`tasks.created_at_ms >= ${createdFromMs}`]),
    ...(createdToMs === undefined ? [] : [sql`tasks.created_at_ms <= ${createdToMs}`]),
  ]
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`, sql`1 = 1`)
}

const isAfter = (place: NewestOptions['after']): Statement<unknown> =>
  place ? sql`(tasks.created_at_ms, tasks.id) < (${place.createdAtMs}, ${place.id})` : sql`1 = 1`

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
  formats: string | null
  job_kind: JobKind | null
  result_bytes: number | null
}

type SearchedRow = ListedTaskRow & OriginRow

const toSearchedTask = (sealer: Sealer, row: SearchedRow): SearchedTask => ({
  ...toListedTask(sealer, row),
  ...toOrigin(row),
})

const toOrigin = ({ formats, job_kind, result_bytes }: OriginRow): TaskOrigin => ({
  jobKind: job_kind,
  bytes: result_bytes,
  formats: (formats ?? '').split(' ').filter((name) => name !== '') as FormatName[],
})
