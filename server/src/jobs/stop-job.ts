import type { Database } from '../storage/database.ts'
import { isCommitted, type Statement } from '../storage/statement.ts'
import {
  cancelIdleTasks,
  lockIdleEntries,
  lockUnqueuedTasks,
  recountJob,
  removeEntriesOfCancelled,
  stopOpenJob,
} from '../storage/tables/jobs.ts'
import { announceJob } from './announce-job.ts'

/**
 * Stops an open job: nothing new starts, and it ends with what runs. Returns false if it was not open any
 * more. Rows are locked in the order in which the end of a task locks them: queue entry, task, job.
 * Otherwise the two could deadlock on PostgreSQL.
 */
export async function stopJob(
  db: Database,
  job: { id: string; accountId: string; state: 'cancelled' | 'failed' },
): Promise<boolean> {
  const nowMs = db.nowMs()
  return isCommitted(
    db.transaction([
      ...cancelIdle(job.id, nowMs),
      stopOpenJob(job).required('open'),
      // A crawl may have chosen pages while this waited for its row.
      ...cancelIdle(job.id, nowMs),
      recountJob(job.id),
      announceJob(job),
    ]),
  )
}

/** Cancels the tasks of a job that no worker has begun. */
const cancelIdle = (jobId: string, nowMs: number): Statement<unknown>[] => [
  lockUnqueuedTasks(jobId),
  lockIdleEntries(jobId),
  cancelIdleTasks(jobId, nowMs),
  removeEntriesOfCancelled(jobId),
]
