import { Failure } from '../domain/failure.ts'
import type { JobKind } from '../domain/job/job.ts'
import type { EventReporter } from '../events/event-hub.ts'
import { findJobCallback } from '../storage/tables/deliveries.ts'
import { findJob, type JobView } from '../storage/tables/jobs.ts'
import type { UrlSearch } from '../tasks/search/url-search.ts'
import type { PaginationQuery } from '../wire/pagination.ts'
import { type JobsQuery, listJobs } from './all-jobs.ts'
import type { JobDriver } from './job-driver.ts'
import { type AskedResults, type JobResultsParts, jobResults } from './job-results.ts'
import { stopJob } from './stop-job.ts'

export interface JobTrackingParts extends JobResultsParts {
  urlSearch: UrlSearch
  driver: Pick<JobDriver, 'changed' | 'cancelled'>
  events: EventReporter
}

export type JobTracking = ReturnType<typeof createJobTracking>

/** How callers follow a job of one kind. */
export function createJobTracking(parts: JobTrackingParts, kind: JobKind) {
  const { db, sealer, driver, events } = parts

  return {
    get,
    list: (query: JobsQuery, page: PaginationQuery) => listJobs(parts, { ...query, kind }, page),
    /** In order, read one at a time. */
    results: (id: string, asked: AskedResults) => jobResults(parts, id, asked),
    /** How the callback of its last end stands; null before. */
    async findCallback(id: string) {
      const [callback] = await db.run(findJobCallback(id))
      return callback ?? null
    },
    /** Nothing new starts; the open tasks of the returned job are those that still run. */
    async cancel(accountId: string, id: string) {
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
