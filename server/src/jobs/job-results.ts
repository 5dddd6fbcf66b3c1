import type { Task, TaskProgress } from '../domain/task/task.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import type { JsonPieces } from '../runtime/splice-json.ts'
import type { Database } from '../storage/database.ts'
import type { Statement } from '../storage/statement.ts'
import { findPositionInJob, listTasksOfJob } from '../storage/tables/tasks.ts'
import type { ReadingTurns } from '../tasks/results/reading-turns.ts'
import type { ResultStore } from '../tasks/results/result-store.ts'
import { pageOfJobJson, pageOfJobWithoutContents } from '../wire/jobs/page-of-job.ts'

export interface JobResultsParts {
  db: Database
  sealer: Sealer
  kept: Pick<ResultStore, 'read'>
  readingTurns: ReadingTurns
}

/** Which results, and whether with what the pages were. */
export interface AskedResults {
  accountId: string
  offset: number
  limit: number
  hasContents: boolean
  /** Aborted when the caller has gone. */
  disconnected: AbortSignal
}

type EndedTask = Task & TaskProgress

/** Enough that reading rows costs little, few enough to hold in memory. */
const readAtOnce = 50

/** The results of a job in order, as JSON, one at a time: however many there are, one is in memory. */
export async function* jobResults(
  { db, sealer, kept, readingTurns }: JobResultsParts,
  jobId: string,
  asked: AskedResults,
): AsyncGenerator<JsonPieces> {
  // Patient, because a response that has begun cannot become a failure any more.
  const reader = { accountId: asked.accountId, signal: asked.disconnected, ignoresWaitingMax: true }
  const inTurn = <Row>(statement: Statement<Row>) =>
    readingTurns.take(() => db.run(statement), reader)
  const [from] = await inTurn(findPositionInJob(jobId, asked.offset))
  if (from === undefined) return
  const read: ReadTasks = (page) => inTurn(listTasksOfJob(sealer, jobId, page))
  for await (const task of tasksFrom(read, { from, limit: asked.limit })) {
    if (!asked.hasContents) {
      yield [Buffer.from(JSON.stringify(pageOfJobWithoutContents(task)))]
      continue
    }
    const result =
      task.state === 'completed' ? await kept.read(task, 'extraction', reader) : undefined
    yield pageOfJobJson(task, result)
  }
}

/** What became of each page of a job, in order, without their contents. */
export async function* jobOutcomes(
  { db, sealer }: Pick<JobResultsParts, 'db' | 'sealer'>,
  jobId: string,
): AsyncGenerator<object> {
  const read: ReadTasks = (page) => db.run(listTasksOfJob(sealer, jobId, page))
  for await (const task of tasksFrom(read, { from: 0, limit: Infinity })) {
    yield pageOfJobWithoutContents(task)
  }
}

type ReadTasks = (page: { from: number; limit: number }) => Promise<EndedTask[]>

async function* tasksFrom(
  read: ReadTasks,
  asked: { from: number; limit: number },
): AsyncGenerator<EndedTask> {
  let { from } = asked
  for (let left = asked.limit; left > 0; ) {
    const limit = Math.min(left, readAtOnce)
    const tasks = await read({ from, limit })
    yield* tasks
    if (tasks.length < limit) return
    left -= tasks.length
    from = (tasks.at(-1)?.job?.position ?? 0) + 1
  }
}
