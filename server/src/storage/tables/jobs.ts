import type { FailureCode } from '../../domain/failure.ts'
import type {
  Job,
  JobCounts,
  JobEnd,
  JobKind,
  JobProgress,
  JobRequest,
  JobState,
} from '../../domain/job/job.ts'
import { searchableUrl } from '../../domain/redact-url.ts'
import type { ScrapeRequest } from '../../domain/scrape/scrape-request.ts'
import type { TaskLane } from '../../domain/task/lane.ts'
import type { TaskEnd } from '../../domain/task/task.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import { sealListing } from '../queries/listings.ts'
import { readRequest, type TaskRow } from '../queries/stored-tasks.ts'
import { openColumn, sealColumn } from '../secrets/sealed-columns.ts'
import { forUpdate, type Statement, sql, sqlValue } from '../statement.ts'

export type JobView = Job & JobProgress

const urlOf = ({ request: { crawl, map } }: Job): string | null => {
  const url = crawl?.seed.url ?? map?.url
  return url === undefined ? null : searchableUrl(url)
}

export const insertJob = (sealer: Sealer, job: Job, taskCount: number) =>
  sql<never>`
    insert into jobs
      (id, account_id, kind, url, request, listing, invalid_urls, callback_url, state, total_count,
       open_count, completed_count, failed_count, cancelled_count, tokens, retries, created_at_ms)
    values (${job.id}, ${job.accountId}, ${job.kind},
            ${urlOf(job)},
            ${sealColumn(sealer, 'jobs.request', job, JSON.stringify(job.request))},
            ${sealListing(sealer, 'jobs', job, job.request)},
            ${job.invalidUrls.length > 0 ? sealColumn(sealer, 'jobs.invalid_urls', job, JSON.stringify(job.invalidUrls)) : null},
            ${job.callbackUrl && sealColumn(sealer, 'jobs.callback_url', job, job.callbackUrl)},
            'open', ${taskCount}, ${taskCount}, 0, 0, 0, 0, 0, ${job.createdAtMs})`

/** To be written in the transaction that ends the task. A map has one task and no event, so it ends with it. */
export const countTaskOfJob = (task: {
  accountId: string
  jobId: string
  state: TaskEnd
  tokens: number
  nowMs: number
}) =>
  sql<never>`
    update jobs
    set open_count = open_count - 1,
        completed_count = completed_count + ${task.state === 'completed' ? 1 : 0},
        failed_count = failed_count + ${task.state === 'failed' ? 1 : 0},
        cancelled_count = cancelled_count + ${task.state === 'cancelled' ? 1 : 0},
        tokens = tokens + ${task.tokens},
        state = case when kind = 'map' then ${task.state} else state end,
        completed_at_ms = case when kind = 'map' then ${task.nowMs} else completed_at_ms end
    where id = ${task.jobId}`.contendedAs(task.accountId)

/** Returns a row if the job is open and has as many tasks as this process believes. */
export const addTasksToJob = (job: { id: string; totalCount: number; added: number }) =>
  sql<{ id: string }>`
    update jobs
    set total_count = total_count + ${job.added}, open_count = open_count + ${job.added}
    where id = ${job.id} and state = 'open' and total_count = ${job.totalCount}
    returning id`

/** To be written in the transaction that ends the task of a map. */
export const countLinks = (jobId: string, count: number) =>
  sql<never>`update jobs set links_count = ${count} where id = ${jobId}`

/**
 * Returns a row if all tasks had ended and the job had not, and if nobody changed it since `seen`: another
 * process may have cancelled it, or have found more pages of a crawl.
 */
export const endJob = (seen: JobView, end: JobEnd, nowMs: number) =>
  sql<{ id: string }>`
    update jobs
    set state = ${end}, completed_at_ms = ${nowMs}
    where id = ${seen.id} and state = ${seen.state} and total_count = ${seen.counts.total}
      and open_count = 0 and completed_at_ms is null
    returning id`

/** Returns a row if the job was open. It ends when what runs has ended. */
export const stopOpenJob = (job: {
  id: string
  accountId: string
  state: 'cancelled' | 'failed'
}) =>
  sql<{ id: string }>`
    update jobs set state = ${job.state}
    where id = ${job.id} and account_id = ${job.accountId} and state = 'open'
    returning id`

export const countOpenCrawls = (accountId: string) =>
  sqlValue<number>`
    select count(*) from jobs
    where account_id = ${accountId} and kind = 'crawl' and completed_at_ms is null`

export const isJobOpen = (id: string): Statement<boolean> =>
  sqlValue<JobState>`select state from jobs where id = ${id}`.map((state) => state === 'open')

/**
 * Keeps pages of a crawl out of the queue until the transaction is committed, and waits for those that are
 * entering it: the next statement sees whether a worker began them at once.
 */
export const lockUnqueuedTasks = (jobId: string) =>
  sql<{ id: string }>`
    select id from tasks
    where job_id = ${jobId} and crawl_host is null and state = 'open'
      and not exists (select 1 from queue_entries where queue_entries.id = tasks.id)
    order by position
    ${forUpdate}`

/** Keeps workers from claiming the idle tasks of a job until the transaction is committed. */
export const lockIdleEntries = (jobId: string) =>
  sql<never>`
    update queue_entries set fence = fence + 1
    where id in (select id from tasks where job_id = ${jobId} and state = 'open')
      and state <> 'leased'`

/** Cancels the tasks of a job that no worker holds; after the two locks. */
export const cancelIdleTasks = (jobId: string, nowMs: number) =>
  sql<{ id: string }>`
    update tasks
    set state = 'cancelled', completed_at_ms = ${nowMs},
        started_at_ms = (select queue_entries.started_at_ms from queue_entries
                         where queue_entries.id = tasks.id)
    where job_id = ${jobId} and state = 'open'
      and not exists (select 1 from queue_entries
                      where queue_entries.id = tasks.id and queue_entries.state = 'leased')
    returning id`.bulk()

export const removeEntriesOfCancelled = (jobId: string) =>
  sql<never>`
    delete from queue_entries
    where id in (select id from tasks where job_id = ${jobId} and state = 'cancelled')`

/** Returns a row if the job had ended, cancelled ones included, with failed tasks. */
export const reopenJob = (id: string) =>
  sql<{ id: string }>`
    update jobs set state = 'open', completed_at_ms = null, retries = retries + 1
    where id = ${id} and completed_at_ms is not null and failed_count > 0
    returning id`

/** A failed task is as if it had never been run. */
export const reopenFailedTasks = (jobId: string) =>
  sql<never>`
    update tasks
    set state = 'open', attempts = 0, attempt_log = '[]', error_code = null, error_message = null,
        started_at_ms = null, completed_at_ms = null
    where job_id = ${jobId} and state = 'failed'`

/** No worker of an earlier run of the task has a fence as high as those of the next. */
const fencesPerRetry = 100_000

export const enqueueOpenTasks = (job: {
  /** How often its failed tasks were run again, this time included. */
  retries: number
  jobId: string
  lane: TaskLane
  flow: string
  concurrencyKey: string | undefined
}) =>
  sql<never>`
    insert into queue_entries
      (id, lane, work_id, account_id, flow, concurrency_key, state, fence, crashes)
    select id, ${job.lane}, id, account_id, ${job.flow}, ${job.concurrencyKey ?? null}, 'ready', ${job.retries * fencesPerRetry}, 0
    from tasks
    where job_id = ${job.jobId} and state = 'open'`.bulk()

export const findFailedTask = (sealer: Sealer, jobId: string): Statement<ScrapeRequest> =>
  sql<Pick<TaskRow, 'id' | 'accountId' | 'kind' | 'request'>>`
    select id, account_id as "accountId", kind, request from tasks
    where job_id = ${jobId} and state = 'failed'
    order by position
    limit 1`.map((row) =>
    readRequest(openColumn(sealer, 'tasks.request', row, row.request), row.kind),
  )

/** Counts the tasks of a job anew, after many of them changed at once. */
export const recountJob = (jobId: string) =>
  sql<never>`
    update jobs
    set open_count = (select count(*) from tasks where job_id = ${jobId} and state = 'open'),
        cancelled_count =
          (select count(*) from tasks where job_id = ${jobId} and state = 'cancelled'),
        failed_count = (select count(*) from tasks where job_id = ${jobId} and state = 'failed')
    where id = ${jobId}`

/** A job holds the results of its tasks until it ends, as a pending delivery holds that of its task. */
export const holdOfJob = (id: string) =>
  sql<{ pendingCount: number; endedAtMs: number | null }>`
    select case when completed_at_ms is null then 1 else 0 end as "pendingCount",
           completed_at_ms as "endedAtMs"
    from jobs
    where id = ${id}`

/**
 * Deletes jobs that ended long ago, with their tasks. One whose results or deliveries are still needed
 * stays: results must be deleted first, because their blobs do not cascade.
 */
export const pruneJobs = (limits: { endedBeforeMs: number; jobsMax: number }) =>
  sql<{ id: string }>`
    delete from jobs
    where id in (select id from jobs
                 where completed_at_ms < ${limits.endedBeforeMs}
                   and not exists (select 1 from deliveries
                                   where deliveries.job_id = jobs.id and state = 'pending')
                   and not exists (select 1 from results
                                   join tasks on tasks.id = results.task_id
                                   where tasks.job_id = jobs.id)
                 order by completed_at_ms
                 limit ${limits.jobsMax})
    returning id`.bulk()

/**
 * Jobs that may have to go on: those whose last task has ended, for the process that should have noticed
 * died, and crawls, whose pages may wait for their host.
 */
export const listJobsToAdvance = (after: string, limit: number) =>
  sql<{ id: string; accountId: string }>`
    select id, account_id as "accountId" from jobs
    where completed_at_ms is null and (open_count = 0 or kind = 'crawl') and id > ${after}
    order by id
    limit ${limit}`

const isJobStarted = sql`
    case when jobs.open_count < jobs.total_count or jobs.retries > 0 then 1
         when exists (select 1 from tasks
                      join queue_entries on queue_entries.id = tasks.id
                      where tasks.job_id = jobs.id and queue_entries.started_at_ms is not null)
         then 1 else 0 end`

export const jobProgressColumns = sql`
    jobs.id, jobs.account_id as "accountId", jobs.kind, jobs.state, jobs.total_count as "total",
    jobs.open_count as "open", jobs.completed_count as "completed", jobs.failed_count as "failed",
    jobs.cancelled_count as "cancelled", jobs.tokens, jobs.retries, jobs.links_count as "linksCount",
    jobs.created_at_ms as "createdAtMs", jobs.completed_at_ms as "completedAtMs",
    ${isJobStarted} as "isStarted"`

const jobColumns = sql`
    ${jobProgressColumns}, jobs.request, jobs.invalid_urls, jobs.callback_url, jobs.error_code,
    jobs.error_message`

/** The job, if something may be left to do for it; for the many times that this is not so, it is cheap. */
export const findJobToDrive = (sealer: Sealer, id: string): Statement<JobView> =>
  sql<WholeRow>`
    select ${jobColumns} from jobs
    where jobs.id = ${id} and (jobs.open_count = 0 or jobs.kind = 'crawl')
      and jobs.completed_at_ms is null`.map((row) => toJob(sealer, row))

/** Without its account, for the service itself. */
export const getJob = (sealer: Sealer, id: string): Statement<JobView> =>
  sql<WholeRow>`
    select ${jobColumns} from jobs where jobs.id = ${id}`.map((row) => toJob(sealer, row))

export const findJob = (
  sealer: Sealer,
  job: { id: string; accountId: string; kind: JobKind },
): Statement<JobView> =>
  sql<WholeRow>`
    select ${jobColumns} from jobs
    where jobs.id = ${job.id} and jobs.account_id = ${job.accountId} and jobs.kind = ${job.kind}`.map(
    (row) => toJob(sealer, row),
  )

export interface StoredJobProgress
  extends Pick<Job, 'id' | 'accountId' | 'kind' | 'createdAtMs'>,
    Pick<JobProgress, 'state' | 'tokens' | 'retries' | 'completedAtMs'>,
    JobCounts {
  linksCount: number | null
  isStarted: number
}

interface WholeRow extends StoredJobProgress {
  request: string
  invalid_urls: string | null
  callback_url: string | null
  error_code: FailureCode | null
  error_message: string | null
}

function toJob(sealer: Sealer, row: WholeRow): JobView {
  const open = (column: Parameters<typeof openColumn>[1], text: string | null) =>
    text && openColumn(sealer, column, row, text)
  const invalidUrls = open('jobs.invalid_urls', row.invalid_urls)
  return {
    ...toJobProgress(row),
    accountId: row.accountId,
    request: JSON.parse(openColumn(sealer, 'jobs.request', row, row.request)) as JobRequest,
    invalidUrls: invalidUrls ? JSON.parse(invalidUrls) : [],
    callbackUrl: open('jobs.callback_url', row.callback_url),
    error: row.error_code && {
      code: row.error_code,
      message: open('jobs.error_message', row.error_message) ?? '',
    },
  }
}

export const toJobProgress = (row: StoredJobProgress) => {
  const { id, kind, state, total, open, completed, failed, cancelled } = row
  const { tokens, retries, createdAtMs, completedAtMs } = row
  const counts = { total, open, completed, failed, cancelled }
  const linksCount = row.linksCount ?? 0
  const isStarted = row.isStarted === 1
  const progress = { counts, tokens, retries, linksCount, isStarted, completedAtMs }
  return { id, kind, state, createdAtMs, ...progress }
}
