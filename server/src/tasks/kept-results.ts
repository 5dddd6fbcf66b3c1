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

/** What tasks brought back, for as long as it is kept. */
export interface KeptResults {
  /** Refuses with `EXPIRED` what is over or gone, without reading it. */
  require(task: EndedTask): Promise<void>
  /** Undefined where it is over, whether it has been removed already or not, or gone before its time. */
  read(task: EndedTask, form: ContentForm): Promise<FinishedResult | undefined>
  /** Of a task that is completed. */
  getScreenshot(task: EndedTask): Promise<Screenshot>
}

export function createKeptResults(parts: KeptResultsParts): KeptResults {
  const { db, resultsKeptMs } = parts
  const reading = new Semaphore({ atOnceMax: readAtOnceMax, waitingMax: readersWaitingMax })

  return {
    async require(task) {
      if ((await isExpired(task)) || (await isEvicted(task))) throw expired()
    },
    async read(task, form) {
      if (await isExpired(task)) return undefined
      return inTurn(() => readResult(parts, task, form))
    },
    async getScreenshot(task) {
      if (await isExpired(task)) throw expired()
      const screenshot = await inTurn(() => readScreenshot(parts, task))
      if (screenshot === undefined) throw expired()
      if (screenshot === null) throw noScreenshot()
      return screenshot
    },
  }

  async function isExpired(task: EndedTask): Promise<boolean> {
    const [deliveries] = await db.run(summariseDeliveries(task.id))
    return db.nowMs() >= resultExpiresAtMs(task, deliveries, resultsKeptMs)
  }

  /** Its account may have had more than it may keep; what ended without a result has none to lose. */
  async function isEvicted(task: EndedTask): Promise<boolean> {
    const [isStored] = task.state === 'completed' ? await db.run(isResultStored(task.id)) : [true]
    return !isStored
  }

  /** A result may take a hundred megabytes while it is read, so not everyone reads at once. */
  async function inTurn<Read>(read: () => Promise<Read>): Promise<Read> {
    const turn = await reading.run(read)
    if (!turn) throw tooManyReaders()
    return turn.result
  }
}

const readAtOnceMax = 8
const readersWaitingMax = 200

export const expired = () => new Failure('EXPIRED', 'The result is no longer kept.')

export const noScreenshot = () => new Failure('NOT_FOUND', 'This task has no screenshot.')

const tooManyReaders = () =>
  new Failure('RATE_LIMITED', 'Too many results are being read at once.', { retryAfterSeconds: 1 })

/** What a task brought back, in the form in which somebody is to get it. */
export interface FinishedResult {
  page: PageFacts
  content: Content
  image: ResultImage | undefined
}

/** How the content is needed: alone, as a realtime caller gets a page, or inside a JSON document. */
export type ContentForm = PresentJob['form']

/** The form in which a caller who waits for the answer gets it. */
export const realtimeForm = ({ request: { options } }: Task): ContentForm =>
  options.response_format === 'json' ? 'embedded' : 'plain'

/** Inside a JSON document an image is a link, unless it was asked for as base64; otherwise undefined. */
function linkedImage(
  links: TaskLinks,
  task: Task,
  { image, form }: { image: ImageFacts; form: ContentForm },
): ResultImage | undefined {
  const { encoding } = task.request.options.screenshot.options
  const isLinked = form === 'embedded' && encoding === 'binary'
  return isLinked ? { ...image, url: links.screenshot(task.id) } : undefined
}

/** What an engine brought, for whoever asked for the task; `content` must be there in that form. */
export function toResult(
  links: TaskLinks,
  task: Task,
  brought: { page: Page; content: Content; engine: PageFacts['engine'] },
): FinishedResult {
  const { content, engine } = brought
  const page = factsOf(brought.page, engine)
  const form = task.kind === 'realtime' ? realtimeForm(task) : 'embedded'
  const linked = page.screenshot && linkedImage(links, task, { image: page.screenshot, form })
  return { page, content, image: linked ?? brought.page.screenshot }
}

/** Reads what a task brought back; undefined when it is no longer kept. */
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

/** Null when the page came without one, undefined when nothing is kept any more. */
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

/** How a page is to be presented to whoever asked for it. */
export function presentJob(
  { request: { options } }: Task,
  { headers, body, isText }: Pick<Page, 'headers' | 'body' | 'isText'>,
  form: ContentForm,
) {
  return {
    body,
    // What was read from a browser is text already, whatever the target sent it in.
    contentEncoding: isText ? undefined : headers['content-encoding'],
    contentType: isText ? 'text/html; charset=utf-8' : headers['content-type'],
    isJson: options.is_json_response,
    minify: options.HTMLMinifier,
    form,
  }
}
