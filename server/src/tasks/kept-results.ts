import { Failure } from '../domain/failure.ts'
import {
  factsOf,
  type ImageFacts,
  type Page,
  type PageFacts,
  type Screenshot,
} from '../domain/scrape/page.ts'
import { resultExpiresAtMs, type Task, type TaskProgress } from '../domain/task/task.ts'
import type { ContentThreads } from '../formats/content-threads.ts'
import type { Content, PresentJob } from '../formats/present.ts'
import type { ResultImage } from '../formats/result-object.ts'
import type { Sealer } from '../runtime/seal.ts'
import { Semaphore } from '../runtime/semaphore.ts'
import { readBlob } from '../storage/blobs-table.ts'
import type { Database } from '../storage/database.ts'
import { summariseDeliveries } from '../storage/deliveries-table.ts'
import { findResult, isResultStored } from '../storage/results-table.ts'
import type { TaskLinks } from './task-links.ts'

export interface StoredResultParts {
  db: Database
  sealer: Sealer
  contents: ContentThreads
  links: TaskLinks
}

export interface KeptResultsParts extends StoredResultParts {
  resultsKeptMs: number
}

type EndedTask = Task & TaskProgress

/** The results of tasks, until their retention ends or they are evicted. */
export function createKeptResults(parts: KeptResultsParts) {
  const { db, resultsKeptMs } = parts
  const reading = new Semaphore({ atOnceMax: readAtOnceMax, waitingMax: readersWaitingMax })

  return {
    /** Throws `EXPIRED` for a result that has expired or was evicted, without reading it. */
    async require(task: EndedTask): Promise<void> {
      if ((await isExpired(task)) || (await isEvicted(task))) throw expired()
    },
    /** Undefined for a result that has expired, even if it is still stored, or was evicted. */
    async read(task: EndedTask, form: ContentForm): Promise<FinishedResult | undefined> {
      if (await isExpired(task)) return undefined
      return whenReadable(() => readResult(parts, task, form))
    },
    /** The task must be completed. */
    async getScreenshot(task: EndedTask): Promise<Screenshot> {
      if (await isExpired(task)) throw expired()
      const screenshot = await whenReadable(() => readScreenshot(parts, task))
      if (screenshot === undefined) throw expired()
      if (screenshot === null) throw noScreenshot()
      return screenshot
    },
  }

  async function isExpired(task: EndedTask): Promise<boolean> {
    const [deliveries] = await db.run(summariseDeliveries(task.id))
    return db.nowMs() >= resultExpiresAtMs(task, deliveries, resultsKeptMs)
  }

  /** Results are evicted when their account exceeds its storage limit; a failed task has none. */
  async function isEvicted(task: EndedTask): Promise<boolean> {
    const [isStored] = task.state === 'completed' ? await db.run(isResultStored(task.id)) : [true]
    return !isStored
  }

  /** Limits concurrent reads, since a result may take a hundred megabytes while it is read. */
  async function whenReadable<Read>(read: () => Promise<Read>): Promise<Read> {
    const done = await reading.run(read)
    if (!done) throw tooManyReaders()
    return done.result
  }
}

const readAtOnceMax = 8
const readersWaitingMax = 200

export const expired = () => new Failure('EXPIRED', 'The result is no longer kept.')

export const noScreenshot = () => new Failure('NOT_FOUND', 'This task has no screenshot.')

const tooManyReaders = () =>
  new Failure('RATE_LIMITED', 'Too many results are being read at once.', { retryAfterSeconds: 1 })

/** The result of a task, in the form in which its caller gets it. */
export interface FinishedResult {
  page: PageFacts
  content: Content
  image: ResultImage | undefined
}

/** Whether the content is sent alone, as to a realtime caller, or embedded in a JSON document. */
export type ContentForm = PresentJob['form']

/** The form for a realtime caller, by the `response_format` of the request. */
export const realtimeForm = ({ request: { options } }: Task): ContentForm =>
  options.response_format === 'json' ? 'embedded' : 'plain'

/** The image as a link, where it is embedded in JSON and was not requested as base64. */
function linkedImage(
  links: TaskLinks,
  task: Task,
  { image, form }: { image: ImageFacts; form: ContentForm },
): ResultImage | undefined {
  const { encoding } = task.request.options.screenshot.options
  const isLinked = form === 'embedded' && encoding === 'binary'
  return isLinked ? { ...image, url: links.screenshot(task.id) } : undefined
}

/** The result from what an engine fetched; `content` must have the form that the caller gets. */
export function toResult(
  links: TaskLinks,
  task: Task,
  fetched: { page: Page; content: Content; engine: PageFacts['engine'] },
): FinishedResult {
  const { content, engine } = fetched
  const page = factsOf(fetched.page, engine)
  const form = task.kind === 'realtime' ? realtimeForm(task) : 'embedded'
  const linked = page.screenshot && linkedImage(links, task, { image: page.screenshot, form })
  return { page, content, image: linked ?? fetched.page.screenshot }
}

/** Reads the result of a task from the store; undefined when it is no longer kept. */
export async function readResult(
  parts: StoredResultParts,
  task: Task & TaskProgress,
  form: ContentForm,
): Promise<FinishedResult | undefined> {
  const [[page], [body]] = await parts.db.transaction([
    findResult(parts.sealer, task),
    readBlob({ ownerId: task.id, kind: 'page' }),
  ] as const)
  if (!page || !body) return undefined
  const image = page.screenshot && (await readImage(parts, task, { image: page.screenshot, form }))
  if (page.screenshot && !image) return undefined
  const content = await parts.contents.present(presentJob(task, { ...page, body }, form))
  return { page, content, image }
}

async function readImage(
  { db, links }: StoredResultParts,
  task: Task,
  wanted: { image: ImageFacts; form: ContentForm },
): Promise<ResultImage | undefined> {
  const linked = linkedImage(links, task, wanted)
  if (linked) return linked
  const [bytes] = await db.run(readBlob({ ownerId: task.id, kind: 'screenshot' }))
  return bytes && { ...wanted.image, bytes }
}

/** Null when the result has no screenshot, undefined when the result is no longer kept. */
async function readScreenshot(
  { db, sealer }: Pick<StoredResultParts, 'db' | 'sealer'>,
  task: Pick<Task, 'id' | 'accountId'>,
): Promise<Screenshot | null | undefined> {
  const [[page], [bytes]] = await db.transaction([
    findResult(sealer, task),
    readBlob({ ownerId: task.id, kind: 'screenshot' }),
  ] as const)
  return page && (page.screenshot && bytes ? { ...page.screenshot, bytes } : null)
}

/** The job that presents a page in the form that the task's options ask for. */
export function presentJob(
  { request: { options } }: Task,
  { headers, body, isText }: Pick<Page, 'headers' | 'body' | 'isText'>,
  form: ContentForm,
) {
  return {
    body,
    // A browser has decoded the page already, whatever encoding the target used.
    contentEncoding: isText ? undefined : headers['content-encoding'],
    contentType: isText ? 'text/html; charset=utf-8' : headers['content-type'],
    isJson: options.is_json_response,
    minify: options.HTMLMinifier,
    form,
  }
}
