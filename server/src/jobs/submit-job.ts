import { Failure } from '../domain/failure.ts'
import type { Job } from '../domain/job/job.ts'
import type { EngineRequest } from '../domain/scrape/scrape-request.ts'
import type { Task, TaskProgress } from '../domain/task/task.ts'
import { commitEntries } from '../queue/pending-entries.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import type { KeyedDigest } from '../runtime/crypto/keyed-digest.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import { mapInTurns } from '../runtime/sharing/turns.ts'
import { insertJob } from '../storage/tables/jobs.ts'
import { insertTasks } from '../storage/tables/tasks.ts'
import { enqueueJob, requireCapacity, requireEngine } from '../tasks/enqueue-tasks.ts'
import { findCacheHits } from '../tasks/results/result-cache.ts'
import type { Settler } from '../tasks/settle.ts'
import {
  type Accepted,
  acceptOnce,
  type Idempotency,
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
export async function submitJob(
  parts: SubmitJobParts,
  { job, tasks, maxAgeMs, idempotency }: NewJob,
): Promise<Accepted> {
  const { db, sealer, settler, events } = parts
  const { id, accountId } = job
  const [first] = tasks
  if (!first) throw new Error('A job has at least one task.')
  const { options } = first.request
  return acceptJobOnce(parts, job, idempotency, async () => {
    const { hits, others } = await findHits(parts, tasks, maxAgeMs)
    const queued = { id, accountId, options, count: others.length, retries: 0 }
    await requireEngine(parts, queued)
    requireCapacity(parts, queued)
    const pending = enqueueJob(parts, queued)
    await commitEntries(pending, async () => {
      const inserts = await insertInTurns(sealer, others)
      crashPoint('before_accept_commit')
      await db.transaction([
        ...onlyOnce(parts, job, idempotency),
        insertJob(sealer, job, tasks.length),
        ...inserts,
        ...pending.statements,
        ...hits.flatMap((hit) => settler.completedAtOnce(hit)),
      ])
      crashPoint('after_accept_commit')
      for (const task of others) events.taskChanged(task, 'queued')
      for (const task of hits) events.taskChanged(task, 'completed')
      return true
    })
  })
}

const storedOptionsBytesMax = 8 * 2 ** 20
/** Ordinary options have less. */
const alwaysAllowedBytes = 8 * 2 ** 10

/** Each task stores its own copy of the options, so a small body could fill memory and disk. */
export function requireModestOptions(request: EngineRequest, taskCount: number): void {
  const bytesMax = Math.max(alwaysAllowedBytes, Math.floor(storedOptionsBytesMax / taskCount))
  if (Buffer.byteLength(JSON.stringify({ ...request, url: '' })) <= bytesMax) return
  throw new Failure(
    'PAYLOAD_TOO_LARGE',
    `Options are stored with each page; those of ${taskCount} pages may have ${bytesMax} bytes.`,
  )
}

/** Accepts a job unless one was accepted under the same key, which is returned then. */
export const acceptJobOnce = (
  parts: Pick<SubmitParts, 'db' | 'sealer' | 'events'>,
  job: Job,
  idempotency: Idempotency | undefined,
  enter: () => Promise<void>,
): Promise<Accepted> =>
  acceptOnce(parts, job, idempotency, async () => {
    await enter()
    parts.events.jobChanged(job)
  })

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
