import type { FormatName } from '../../domain/scrape/extract-options.ts'
import type { TaskState, TaskStatus } from '../../domain/task/task.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import { commaSeparated, type Statement, sql } from '../statement.ts'
import { ofAccountWithStatus } from '../tables/tasks.ts'
import { openListing, type StoredListing, taskListing, type UrlRow } from './listings.ts'
import { RowTexts } from './stored-tasks.ts'

/** Which tasks a list of jobs shows. */
export interface JobFilter {
  accountId: string
  jobId?: string | undefined
  status?: TaskStatus | undefined
  format?: FormatName | undefined
  createdFromMs?: number | undefined
  createdToMs?: number | undefined
}

/** A task in a list of jobs. */
export interface JobRow {
  id: string
  state: TaskState
  startedAtMs: number | null
  completedAtMs: number | null
  createdAtMs: number
  /** Empty for a scrape. */
  formats: FormatName[]
  /** As it is shown; without its query where it cannot be decrypted. */
  url: string
}

export const listJobRows = (
  sealer: Sealer,
  filter: JobFilter,
  { limit, offset }: { limit: number; offset: number },
): Statement<JobRow> =>
  sql<StoredJob>`
    select tasks.id, tasks.account_id, tasks.state, tasks.formats, tasks.url, ${taskListing},
           tasks.created_at_ms, tasks.completed_at_ms, ${startedAtMs}
    from tasks
    where ${matching(filter)}
    order by tasks.created_at_ms desc, tasks.id desc
    limit ${limit} offset ${offset}`
    .map((row) => toJobRow(sealer, row))
    .slow()

/** The same by their ids. */
export const listJobRowsById = (
  sealer: Sealer,
  { accountId }: JobFilter,
  ids: readonly string[],
): Statement<JobRow> =>
  sql<StoredJob>`
    select tasks.id, tasks.account_id, tasks.state, tasks.formats, tasks.url, ${taskListing},
           tasks.created_at_ms, tasks.completed_at_ms, ${startedAtMs}
    from tasks
    where tasks.account_id = ${accountId} and tasks.id in (${commaSeparated(ids)})
    order by tasks.created_at_ms desc, tasks.id desc`
    .map((row) => toJobRow(sealer, row))
    .slow()

/** What a search by a part of the URL looks at, from a place on. */
export const listJobUrlsAfter = (
  filter: JobFilter,
  { after, limit }: { after: UrlRow | undefined; limit: number },
): Statement<UrlRow> => {
  const place = after
    ? sql`and (tasks.created_at_ms, tasks.id) < (${after.createdAtMs}, ${after.id})`
    : sql``
  return sql<UrlRow>`
    select tasks.id, tasks.account_id as "accountId", tasks.created_at_ms as "createdAtMs",
           tasks.url, ${taskListing}, 1 as "isCandidate"
    from tasks
    where ${matching(filter)} ${place}
    order by tasks.created_at_ms desc, tasks.id desc
    limit ${limit}`.slow()
}

/** Counts to `countMax` and no further. */
export const countJobs = (filter: JobFilter, countMax: number): Statement<number> =>
  sql<{ total: number }>`
    select count(*) as total
    from (select tasks.id from tasks where ${matching(filter)} limit ${countMax}) as counted`
    .map(({ total }) => total)
    .slow()

const startedAtMs = sql`
    coalesce(tasks.started_at_ms,
             (select queue_entries.started_at_ms from queue_entries
              where queue_entries.id = tasks.id)) as started_at_ms`

function matching(filter: JobFilter): Statement<unknown> {
  const { jobId, format, createdFromMs, createdToMs } = filter
  const conditions = [
    ofAccountWithStatus(filter.accountId, filter.status),
    ...(jobId === undefined ? [] : [sql`tasks.id = ${jobId}`]),
    // A scrape, which names no formats, returns HTML.
    ...(format === undefined
      ? []
      : [sql`coalesce(tasks.formats, ' html ') like ${`% ${format} %`}`]),
    ...(createdFromMs === undefined ? [] : [sql`tasks.created_at_ms >= ${createdFromMs}`]),
    ...(createdToMs === undefined ? [] : [sql`tasks.created_at_ms <= ${createdToMs}`]),
  ]
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`)
}

interface StoredJob extends StoredListing {
  id: string
  account_id: string
  state: TaskState
  formats: string | null
  url: string
  created_at_ms: number
  started_at_ms: number | null
  completed_at_ms: number | null
}

const toJobRow = (sealer: Sealer, row: StoredJob): JobRow => ({
  id: row.id,
  state: row.state,
  startedAtMs: row.started_at_ms,
  completedAtMs: row.completed_at_ms,
  createdAtMs: row.created_at_ms,
  formats: (row.formats ?? '').split(' ').filter((name) => name !== '') as FormatName[],
  url:
    new RowTexts(sealer, row).read((place) => openListing(sealer, 'tasks', place, row).url) ??
    row.url,
})
