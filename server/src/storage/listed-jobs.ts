import type { JobKind } from '../domain/job/job.ts'
import type { PaginationQuery } from '../domain/pagination.ts'
import type { TaskStatus } from '../domain/task/task.ts'
import type { Sealer } from '../runtime/seal.ts'
import { jobColumns, type ListedJob, type StoredJobRow, toListed } from './jobs-table.ts'
import { type Statement, sql } from './statement.ts'

/** Which jobs to list, newest first. */
export interface JobsFilter {
  accountId: string
  kind: JobKind
  status?: TaskStatus | undefined
  createdFromMs?: number | undefined
  createdToMs?: number | undefined
  /** Part of the URL, in any case. */
  urlPart?: string | undefined
}

export const listJobs = (
  sealer: Sealer,
  filter: JobsFilter,
  { page, pageSize }: PaginationQuery,
): Statement<ListedJob> =>
  sql<StoredJobRow>`
    select * from (select ${jobColumns} from jobs where ${ofAccount(filter)}) as jobs
    where ${withStatus(filter.status)}
    order by created_at_ms desc, id desc
    limit ${pageSize} offset ${(page - 1) * pageSize}`.map((row) => toListed(sealer, row))

/** Longer lists are counted to here. */
const countedMax = 10_000

export const countJobsListed = (filter: JobsFilter): Statement<number> =>
  sql<{ total: number }>`
    select count(*) as total
    from (select jobs.id
          from (select ${jobColumns} from jobs where ${ofAccount(filter)}) as jobs
          where ${withStatus(filter.status)}
          limit ${countedMax}) as counted`.map(({ total }) => total)

function ofAccount({ accountId, kind, createdFromMs, createdToMs, urlPart }: JobsFilter) {
  const conditions = [
    sql`jobs.account_id = ${accountId} and jobs.kind = ${kind}`,
    ...(createdFromMs === undefined ? [] : [sql`jobs.created_at_ms >= ${createdFromMs}`]),
    ...(createdToMs === undefined ? [] : [sql`jobs.created_at_ms <= ${createdToMs}`]),
    ...(urlPart === undefined
      ? []
      : [sql`lower(jobs.url) like ${`%${escapeLike(urlPart.toLowerCase())}%`} escape '!'`]),
  ]
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`)
}

const escapeLike = (text: string): string => text.replace(/[!%_]/g, '!$&')

function withStatus(status: TaskStatus | undefined): Statement<unknown> {
  if (status === undefined) return sql`1 = 1`
  if (status === 'queued') return sql`jobs.state = 'open' and jobs.is_started = 0`
  if (status === 'processing') return sql`jobs.state = 'open' and jobs.is_started = 1`
  return sql`jobs.state = ${status}`
}
