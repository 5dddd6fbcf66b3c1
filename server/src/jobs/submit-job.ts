import type { Job } from '../domain/job/job.ts'
import { engineFor } from '../domain/scrape/choose-engine.ts'
import { flowName } from '../domain/task/flow.ts'
import type { Task, TaskProgress } from '../domain/task/task.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import type { KeyedDigest } from '../runtime/crypto/keyed-digest.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import { mapInTurns } from '../runtime/sharing/turns.ts'
import { RequirementUnmet } from '../storage/statement.ts'
import { enqueueOpenTasks, insertJob } from '../storage/tables/jobs.ts'
import { insertTasks } from '../storage/tables/tasks.ts'
import { findCacheHits } from '../tasks/results/result-cache.ts'
import type { Settler } from '../tasks/settle.ts'
import {
  type Accepted,
  findAccepted,
  type Idempotency,
  keyInUse,
  onlyOnce,
  type SubmitParts,
} from '../tasks/submit.ts'

export interface SubmitJobParts extends SubmitParts {
  digest: KeyedDigest
  settler: Settler
  resultsKeptMs: number
}

interface NewJob {
  job: Job
  tasks: readonly Task[]
  maxAgeMs: number
  idempotency: Idempotency | undefined
}

/**
 * Accepts a job with all its tasks in one commit: once this resolves, all of them survive a crash. It
 * enters the queue whole or not at all.
 */
export async function submitJob(parts: SubmitJobParts, given: NewJob): Promise<Accepted> {
  return acceptOnce(parts, given.job, given.idempotency, () => enter(parts, given))
}

/** Accepts a job unless one was accepted under the same key, which is returned then. */
export async function acceptOnce(
  parts: Pick<SubmitParts, 'db' | 'sealer' | 'events'>,
  { id, accountId, createdAtMs }: Job,
  idempotency: Idempotency | undefined,
  enter: () => Promise<void>,
): Promise<Accepted> {
  try {
    await enter()
    parts.events.jobChanged({ id, accountId })
    return { id, createdAtMs, isReplay: false }
  } catch (refusal) {
    const before = idempotency && (await findAccepted(parts, accountId, idempotency))
    if (before) return before
    if (idempotency && refusal instanceof RequirementUnmet) throw keyInUse()
    throw refusal
  }
}

async function enter(
  parts: SubmitJobParts,
  { job, tasks, maxAgeMs, idempotency }: NewJob,
): Promise<void> {
  const { db, sealer, lanes, accountLimits, browserAccess, admissionControl, depths } = parts
  const { accountId } = job
  const [first] = tasks
  if (!first) throw new Error('A job has at least one task.')
  // All tasks of a job have the same options, and so the same engine.
  const lane = engineFor(first.request.options)
  const { hits, others } = await findHits(parts, tasks, maxAgeMs)
  if (lane === 'browser') await browserAccess.requireBrowser(first.request.options)
  admissionControl.requireQueueCapacity('task', accountId, others.length)
  const entering = depths.enter(lane, accountId, others.length)
  const concurrencyKey = accountLimits.keyOf(lane, accountId)
  const flow = flowName({ accountId, jobId: job.id, concurrencyKey })
  try {
    const inserts = await insertInTurns(sealer, others)
    crashPoint('before_accept_commit')
    await db.transaction([
      ...(idempotency ? onlyOnce(parts, job, idempotency) : []),
      insertJob(sealer, job, tasks.length),
      ...inserts,
      enqueueOpenTasks({ retries: 0, jobId: job.id, lane, flow, concurrencyKey }),
      ...hits.flatMap((hit) => parts.settler.completedAtOnce(hit)),
    ])
    crashPoint('after_accept_commit')
  } catch (error) {
    entering.withdrawn()
    throw error
  }
  entering.committed()
  for (const task of others) parts.events.taskChanged(task, 'queued')
  for (const task of hits) parts.events.taskChanged(task, 'completed')
  lanes[lane].announce(flow)
}

/** Sealing a thousand tasks takes a tenth of a second. */
export const insertInTurns = (sealer: Sealer, tasks: readonly Task[]) =>
  mapInTurns(inChunks(tasks), (chunk) => insertTasks(sealer, chunk), tasks[0]?.accountId)

/** A few sizes only, because every size is another text for the store to prepare. */
const chunkSizes = [50, 5, 1]

function inChunks(tasks: readonly Task[]): Task[][] {
  const chunks: Task[][] = []
  let from = 0
  for (const size of chunkSizes) {
    for (; from + size <= tasks.length; from += size) chunks.push(tasks.slice(from, from + size))
  }
  return chunks
}

/** Tells the tasks that a stored result completes at once from the others. */
async function findHits(parts: SubmitJobParts, tasks: readonly Task[], maxAgeMs: number) {
  const hits: (Task & TaskProgress)[] = []
  const others: Task[] = []
  for (const chunk of maxAgeMs > 0 ? inChunks(tasks) : [tasks]) {
    const found = await findCacheHits(parts, chunk, maxAgeMs)
    for (const [index, task] of chunk.entries()) {
      const hit = found[index]
      if (hit) hits.push(hit)
      else others.push(task)
    }
  }
  return { hits, others }
}
