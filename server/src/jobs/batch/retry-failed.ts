import { commitEntries } from '../../queue/pending-entries.ts'
import { crashPoint } from '../../runtime/crash-point.ts'
import { isCommitted } from '../../storage/statement.ts'
import {
  findFailedTask,
  type JobView,
  recountJob,
  reopenFailedTasks,
  reopenJob,
} from '../../storage/tables/jobs.ts'
import { enqueueJob, requireCapacity, requireEngine } from '../../tasks/enqueue-tasks.ts'
import type { SubmitJobParts } from '../submit-job.ts'

/** Queues the failed tasks of an ended job again; returns false if there are none any more. */
export async function retryFailed(parts: SubmitJobParts, job: JobView): Promise<boolean> {
  const { db, sealer } = parts
  const { id, accountId, counts, retries } = job
  const [failed] = await db.run(findFailedTask(sealer, id))
  if (!failed) return false
  const { options } = failed
  const queued = { id, accountId, options, count: counts.failed, retries: retries + 1 }
  await requireEngine(parts, queued)
  requireCapacity(parts, queued)
  const pending = enqueueJob(parts, queued)
  const writing = () =>
    db.transaction([
      reopenJob(id).required('ended'),
      reopenFailedTasks(id),
      ...pending.statements,
      recountJob(id),
    ])
  return commitEntries(pending, async () => {
    if (!(await isCommitted(writing()))) return false
    crashPoint('after_accept_commit')
    parts.events.jobChanged(job)
    return true
  })
}
