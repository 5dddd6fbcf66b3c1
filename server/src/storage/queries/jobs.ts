import type { JobKind, ListedJob, ListedJobRequest } from '../../domain/job/job.ts'
import { configOfMap } from '../../domain/job/job-config.ts'
import type { TaskStatus } from '../../domain/task/task.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import type { PaginationQuery } from '../../wire/pagination.ts'
import { commaSeparated, type Statement, sql, sqlValue } from '../statement.ts'
import { jobProgressColumns, type StoredJobProgress, toJobProgress } from '../tables/jobs.ts'
import { jobListing, openListing, type StoredListing, type UrlRow } from './listings.ts'
import { RowTexts } from './stored-tasks.ts'

/** Which jobs to list, newest first. */
export interface JobsFilter {
  accountId: string
  /** All kinds without it. */
  kind?: JobKind | undefined
  status?: TaskStatus | undefined
  createdFromMs?: number | undefined
  createdToMs?: number | undefined
}

export const listJobs = (
  sealer: Sealer,
  filter: JobsFilter,
  { page, pageSize }: PaginationQuery,
): Statement<ListedJob> =>
  sql<ListedRow>`
    select * from (select ${jobProgressColumns}, jobs.url, ${jobListing}
                   from jobs where ${ofAccount(filter)}) as jobs
    where ${withStatus(filter.status)}
    order by "createdAtMs" desc, id desc
    limit ${pageSize} offset ${(page - 1) * pageSize}`
    .map((row) => toListedJob(sealer, row))
    .slow()

/** A job of any kind as lists have it. */
export const findListedJob = (
  sealer: Sealer,
  job: { id: string; accountId: string },
): Statement<ListedJob> =>
  sql<ListedRow>`
    select ${jobProgressColumns}, jobs.url, ${jobListing}
    from jobs
    where jobs.id = ${job.id} and jobs.account_id = ${job.accountId}`.map((row) =>
    toListedJob(sealer, row),
  )

/** The same by their ids. */
export const listJobsById = (
  sealer: Sealer,
  { accountId, kind }: JobsFilter,
  ids: readonly string[],
): Statement<ListedJob> =>
  sql<ListedRow>`
    select ${jobProgressColumns}, jobs.url, ${jobListing}
    from jobs
    where ${ofAccount({ accountId, kind })} and jobs.id in (${commaSeparated(ids)})
    order by jobs.created_at_ms desc, jobs.id desc`
    .map((row) => toListedJob(sealer, row))
    .slow()

/** How far a job has come, without anything that is encrypted. */
export const findJobProgress = (job: { id: string; accountId: string }) =>
  sql<StoredJobProgress>`
    select ${jobProgressColumns} from jobs
    where jobs.id = ${job.id} and jobs.account_id = ${job.accountId}`.map(toJobProgress)

/** What a search by a part of the URL looks at, from a place on. */
export const listUrlsOfJobsAfter = (
  filter: JobsFilter,
  { after, limit }: { after: UrlRow | undefined; limit: number },
): Statement<UrlRow> => {
  const place = after ? sql`and ("createdAtMs", id) < (${after.createdAtMs}, ${after.id})` : sql``
  return sql<UrlRow>`
    select id, "accountId", "createdAtMs", url, listing, request, 1 as "isCandidate"
    from (select ${jobProgressColumns}, jobs.url, ${jobListing}
          from jobs where ${ofAccount(filter)}) as jobs
    where ${withStatus(filter.status)} ${place}
    order by "createdAtMs" desc, id desc
    limit ${limit}`.slow()
}

/** Counts to `countMax` and no further. */
export const countJobsListed = (filter: JobsFilter, countMax: number) =>
  sqlValue<number>`
    select count(*)
    from (select jobs.id
          from (select ${jobProgressColumns} from jobs where ${ofAccount(filter)}) as jobs
          where ${withStatus(filter.status)}
          limit ${countMax}) as counted`.slow()

function ofAccount({ accountId, kind, createdFromMs, createdToMs }: JobsFilter) {
  const conditions = [
    sql`jobs.account_id = ${accountId}`,
    ...(kind === undefined ? [] : [sql`jobs.kind = ${kind}`]),
    ...(createdFromMs === undefined ? [] : [sql`jobs.created_at_ms >= ${createdFromMs}`]),
    ...(createdToMs === undefined ? [] : [sql`jobs.created_at_ms <= ${createdToMs}`]),
  ]
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`)
}

function withStatus(status: TaskStatus | undefined): Statement<unknown> {
  if (status === undefined) return sql`1 = 1`
  if (status === 'queued') return sql`jobs.state = 'open' and jobs."isStarted" = 0`
  if (status === 'processing') return sql`jobs.state = 'open' and jobs."isStarted" = 1`
  return sql`jobs.state = ${status}`
}

interface ListedRow extends StoredJobProgress, StoredListing {
  url: string | null
}

function toListedJob(sealer: Sealer, row: ListedRow): ListedJob {
  const texts = new RowTexts(sealer, row)
  const request = texts.read((place) => openListing(sealer, 'jobs', place, row))
  return { ...toJobProgress(row), request: request ?? unreadableRequest(row) }
}

/** A placeholder, so that a list still shows the row. `url` is the requested one without its query. */
function unreadableRequest({ kind, url }: ListedRow): ListedJobRequest {
  const place = { url: url ?? '' }
  const requests = {
    batch: {},
    crawl: { crawl: { seed: place, sameDomainOnly: true, includeSubdomains: false } },
    map: { map: { ...place, search: null, includesSubdomains: false, ignoresQueries: true } },
  } satisfies Record<JobKind, Omit<ListedJobRequest, 'config'>>
  return { config: configOfMap, ...requests[kind] }
}
