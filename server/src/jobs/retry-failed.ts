import { engineFor } from '../domain/scrape/choose-engine.ts'
import { flowName } from '../domain/task/flow.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import { RequirementUnmet } from '../storage/statement.ts'
import {
  enqueueOpenTasks,
  findFailedTask,
  type JobView,
  recountJob,
  reopenFailedTasks,
  reopenJob,
} from '../storage/tables/jobs.ts'
import type { SubmitJobParts } from './submit-job.ts'

/** Queues the failed tasks of an ended job again; returns false if there are none any more. */
export async function retryFailed(parts: SubmitJobParts, job: JobView): Promise<boolean> {
  const { db, sealer, lanes, accountLimits, browserAccess, admissionControl, depths } = parts
  const { id, accountId, counts } = job
  const [failed] = await db.run(findFailedTask(sealer, id))
  if (!failed) return false
  // All tasks of a job have the same options, and so the same engine.
  const lane = engineFor(failed.options)
  if (lane === 'browser') await browserAccess.requireBrowser(failed.options)
  admissionControl.requireQueueCapacity('task', accountId, counts.failed)
  const entering = depths.enter(lane, accountId, counts.failed)
  const concurrencyKey = accountLimits.keyOf(lane, accountId)
  const flow = flowName({ accountId, jobId: id, concurrencyKey })
  try {
    await db.transaction([
      reopenJob(id).required('ended'),
      reopenFailedTasks(id),
      enqueueOpenTasks({ retries: job.retries + 1, jobId: id, lane, flow, concurrencyKey }),
      recountJob(id),
    ])
    crashPoint('after_accept_commit')
  } catch (error) {
    entering.withdrawn()
    if (error instanceof RequirementUnmet) return false
    throw error
  }
  entering.committed()
  parts.events.jobChanged(job)
  lanes[lane].announce(flow)
  return true
}
