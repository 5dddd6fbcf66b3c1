import type { CallbackProgress } from '../domain/delivery/delivery-views.ts'
import { Failure } from '../domain/failure.ts'
import type { JobKind } from '../domain/job/job.ts'
import type { EventReporter } from '../events/event-hub.ts'
import type { JsonPieces } from '../runtime/splice-json.ts'
import { findJobCallback } from '../storage/tables/deliveries.ts'
import { findJob, type JobView } from '../storage/tables/jobs.ts'
import type { UrlSearch } from '../tasks/search/url-search.ts'
import type { PaginationQuery } from '../wire/pagination.ts'
import { type JobsQuery, type ListedJobs, listJobs } from './all-jobs.ts'
import type { JobDriver } from './job-driver.ts'
import { type AskedResults, type JobResultsParts, jobResults } from './job-results.ts'
import { stopJob } from './stop-job.ts'

export interface JobTrackingParts extends JobResultsParts {
  urlSearch: UrlSearch
  driver: Pick<JobDriver, 'changed' | 'cancelled'>
  events: EventReporter
}

/** How callers follow a job of one kind. */
export interface JobTracking {
  get(accountId: string, id: string): Promise<JobView>
  list(query: JobsQuery, page: PaginationQuery): Promise<ListedJobs>
  /** In order, read one at a time. */
  results(id: string, asked: AskedResults): AsyncIterable<JsonPieces>
  /** How the callback of its last end stands; null before. */
  findCallback(id: string): Promise<CallbackProgress | null>
  /** Nothing new starts; the open tasks of the returned job are those that still run. */
  cancel(accountId: string, id: string): Promise<JobView>
}

export function createJobTracking(parts: JobTrackingParts, kind: JobKind): JobTracking {
  const { db, sealer, driver, events } = parts

  return {
    get,
    list: (query, page) => listJobs(parts, { ...query, kind }, page),
    results: (id, asked) => jobResults(parts, id, asked),
    async findCallback(id) {
      const [callback] = await db.run(findJobCallback(id))
      return callback ?? null
    },
    async cancel(accountId, id) {
      const { state } = await get(accountId, id)
      if (state !== 'open' || !(await stopJob(db, { id, accountId, state: 'cancelled' }))) {
        throw new Failure('CONFLICT', `The ${kind} has ended or was cancelled already.`)
      }
      driver.cancelled({ id, accountId })
      events.jobChanged({ id, accountId })
      return get(accountId, id)
    },
  }

  async function get(accountId: string, id: string): Promise<JobView> {
    const [job] = await db.run(findJob(sealer, { id, accountId, kind }))
    if (!job) throw new Failure('NOT_FOUND', `There is no such ${kind}.`)
    return job
  }
}
