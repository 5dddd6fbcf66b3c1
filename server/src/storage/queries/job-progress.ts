import type { JobKind, JobState } from '../../domain/job/job.ts'
import { sql } from '../statement.ts'
import { isJobStarted } from '../tables/jobs.ts'

/** How far a job has come, without anything that is encrypted. */
export interface JobProgressRow {
  id: string
  kind: JobKind
  state: JobState
  totalCount: number
  openCount: number
  completedCount: number
  failedCount: number
  cancelledCount: number
  isStarted: number
  completedAtMs: number | null
}

export const findJobProgress = (job: { id: string; accountId: string }) =>
  sql<JobProgressRow>`
    select jobs.id, jobs.kind, jobs.state, jobs.total_count as "totalCount",
           jobs.open_count as "openCount", jobs.completed_count as "completedCount",
           jobs.failed_count as "failedCount", jobs.cancelled_count as "cancelledCount",
           ${isJobStarted} as "isStarted", jobs.completed_at_ms as "completedAtMs"
    from jobs
    where jobs.id = ${job.id} and jobs.account_id = ${job.accountId}`
