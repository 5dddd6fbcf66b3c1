import { redactUrl } from '../domain/redact-url.ts'
import { extractOrderOf } from '../domain/scrape/scrape-request.ts'
import { type Task, type TaskProgress, taskStatus } from '../domain/task/task.ts'
import { durationMsOf, tokensOf } from '../domain/task/usage-statistics.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import { type JsonPieces, spliceJson } from '../runtime/splice-json.ts'
import type { Database } from '../storage/database.ts'
import type { Statement } from '../storage/statement.ts'
import { findPositionInJob, listTasksOfJob } from '../storage/tables/tasks.ts'
import type { ReadingTurns } from '../tasks/results/reading-turns.ts'
import type { FinishedResult, ResultStore } from '../tasks/results/result-store.ts'
import { errorOf, toExtractionError } from '../wire/extract/extraction-error.ts'
import { dataJson, fetchedHow } from '../wire/extract/to-responses.ts'

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
      yield [Buffer.from(JSON.stringify(withoutContents(task)))]
      continue
    }
    const result =
      task.state === 'completed' ? await kept.read(task, 'extraction', reader) : undefined
    yield resultJson(task, result)
  }
}

/** What became of each page of a job, in order, without their contents. */
export async function* jobOutcomes(
  { db, sealer }: Pick<JobResultsParts, 'db' | 'sealer'>,
  jobId: string,
): AsyncGenerator<object> {
  const read: ReadTasks = (page) => db.run(listTasksOfJob(sealer, jobId, page))
  for await (const task of tasksFrom(read, { from: 0, limit: Infinity })) {
    yield withoutContents(task)
  }
}

function withoutContents(task: EndedTask): object {
  return { ...outcomeOf(task), ...(isCrawled(task) && { links: [] }), data: null, metadata: null }
}

type ReadTasks = (page: { from: number; limit: number }) => Promise<EndedTask[]>

/** The tasks of a job from a position on. */
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

function resultJson(task: EndedTask, result: FinishedResult | undefined): JsonPieces {
  const data = result ? dataJson(result) : jsonNull
  const metadata = result ? metadataOf(task, result) : null
  const links = isCrawled(task) && { links: result?.content.links?.links ?? [] }
  return spliceJson({ ...outcomeOf(task), ...links }, 'data', data, { metadata })
}

function outcomeOf(task: EndedTask) {
  const error = errorOf(task)
  const shown = error && toExtractionError(error, task.id)
  return {
    ...placeInJob(task),
    url: redactUrl(task.request.url),
    status: taskStatus(task),
    error_code: shown?.code ?? null,
    error_message: shown?.message ?? null,
    error_reason: error?.code ?? null,
    task_id: task.id,
  }
}

const isCrawled = ({ request }: EndedTask): boolean => request.purpose.kind === 'crawl'

function placeInJob({ job, request: { purpose } }: EndedTask): object {
  if (purpose.kind !== 'crawl') return { input_index: job?.position ?? 0 }
  const { crawl } = purpose
  return { parent_url: crawl.parentUrl && redactUrl(crawl.parentUrl), depth: crawl.depth }
}

const jsonNull = [Buffer.from('null')]

function metadataOf(task: EndedTask, { page }: FinishedResult) {
  const order = extractOrderOf(task.request)
  return {
    http_status: page.statusCode,
    duration_ms: durationMsOf(task),
    retry_count: Math.max(task.attempts - 1, 0),
    tokens_charged: tokensOf(task),
    ...(order && fetchedHow(order, page)),
  }
}
