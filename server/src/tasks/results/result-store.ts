import { Failure } from '../../domain/failure.ts'
import type { PageVerdict } from '../../domain/scrape/engine-reason.ts'
import {
  factsOf,
  type ImageFacts,
  type Page,
  type PageFacts,
  type Screenshot,
} from '../../domain/scrape/page.ts'
import { type ExtractOrder, extractOrderOf } from '../../domain/scrape/scrape-request.ts'
import { engineReasonOf } from '../../domain/task/handover.ts'
import type { TaskLane } from '../../domain/task/lane.ts'
import type { PreviewFormat } from '../../domain/task/preview.ts'
import { resultExpiresAtMs, type Task, type TaskProgress } from '../../domain/task/task.ts'
import type { DataOrder } from '../../formats/catalogue.ts'
import { looksLikePdf } from '../../formats/content/content-kind.ts'
import { imageType } from '../../formats/content/image-type.ts'
import type { Content, PageToPresent } from '../../formats/present.ts'
import type { ContentWorkers } from '../../formats/workers/content-workers.ts'
import type { PresentCaller } from '../../formats/workers/worker-pool.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import { Semaphore } from '../../runtime/sharing/semaphore.ts'
import type { Database } from '../../storage/database.ts'
import { readBlob } from '../../storage/tables/blobs.ts'
import { summariseDeliveries } from '../../storage/tables/deliveries.ts'
import { holdOfJob } from '../../storage/tables/jobs.ts'
import { findResult, isResultStored } from '../../storage/tables/results.ts'
import type { ResultFile, ResultImage, ShownResult } from '../../wire/scrape/to-responses.ts'
import type { TaskLinks } from '../../wire/tasks/links.ts'
import type { PresentedContents } from './presented-contents.ts'

export interface StoredResultParts {
  db: Database
  sealer: Sealer
  contents: ContentWorkers
  presented: PresentedContents
  links: TaskLinks
}

export interface ResultStoreParts extends StoredResultParts {
  resultsKeptMs: number
}

type EndedTask = Task & TaskProgress

export type ResultStore = ReturnType<typeof createResultStore>

/** The results of tasks, until their retention ends or they are evicted. */
export function createResultStore(parts: ResultStoreParts) {
  const { db, resultsKeptMs } = parts
  const reading = new Semaphore(readLimits)
  const looking = new Semaphore(lookLimits)

  return {
    /** Throws `EXPIRED` for a result that has expired or was evicted, without reading it. */
    async require(task: EndedTask): Promise<void> {
      if ((await isExpired(task)) || (await isEvicted(task))) throw expired()
    },
    read,
    /** The task must be completed. */
    async getScreenshot(task: EndedTask, signal: AbortSignal): Promise<Screenshot> {
      if (await isExpired(task)) throw expired()
      const screenshot = await whenReadable(task, () => readScreenshot(parts, task), { signal })
      if (screenshot === undefined) throw expired()
      if (screenshot === null) throw noScreenshot()
      return screenshot
    },
    /** What is stored beside the content. The task must be completed. */
    async getFacts(task: EndedTask, signal: AbortSignal): Promise<PageFacts> {
      if (await isExpired(task)) throw expired()
      const read = () => db.run(findResult(parts.sealer, ownerOf(task)))
      const [facts] = await whenReadable(task, read, { signal })
      if (!facts) throw expired()
      return facts
    },
    /** The HTML document that shows the page in a sandbox. The task must be completed. */
    async getPreview(
      task: EndedTask,
      format: PreviewFormat,
      signal: AbortSignal,
    ): Promise<Uint8Array> {
      if (await isExpired(task)) throw expired()
      const caller = { accountId: task.accountId, signal }
      const done = await looking.run(() => readPreview(parts, task, { format, caller }), caller)
      if (!done) throw tooManyReaders()
      if (!done.result) throw expired()
      return done.result.bytes
    },
    /** The target's file with its content type. The task must be completed. */
    async getFile(task: EndedTask, signal: AbortSignal): Promise<PageFile> {
      const result = await read(task, 'raw', { signal })
      if (!result) throw expired()
      const { file, bytes } = result.content
      if (!file) throw noFile()
      return { imageType: imageType(bytes), contentType: file.contentType, bytes }
    },
  }

  /** Undefined for a result that has expired, even if it is still stored, or was evicted. */
  async function read(
    task: EndedTask,
    form: ContentForm,
    reader: ResultReader,
  ): Promise<FinishedResult | undefined> {
    if (await isExpired(task)) return undefined
    return whenReadable(task, () => readResult(parts, task, form, reader.signal), reader)
  }

  async function isExpired(task: EndedTask): Promise<boolean> {
    const [holders] = await db.run(task.job ? holdOfJob(task.job.id) : summariseDeliveries(task.id))
    return db.nowMs() >= resultExpiresAtMs(task, holders, resultsKeptMs)
  }

  /** Results are evicted when their account exceeds its storage limit; a failed task has none. */
  async function isEvicted(task: EndedTask): Promise<boolean> {
    const [isStored] =
      task.state === 'completed' ? await db.run(isResultStored(ownerOf(task).id)) : [true]
    return !isStored
  }

  /** Limits concurrent reads, since a result may take a hundred megabytes while it is read. */
  async function whenReadable<Read>(
    { accountId }: EndedTask,
    read: () => Promise<Read>,
    reader: ResultReader,
  ): Promise<Read> {
    const done = await reading.run(read, { accountId, ...reader })
    if (!done) throw tooManyReaders()
    return done.result
  }
}

/** Who reads a result. */
export interface ResultReader {
  /** Aborted when the reader has gone: reading then ends with the reason. */
  signal: AbortSignal | undefined
  /** Waits although its account reads many results already. */
  ignoresWaitingMax?: boolean
}

const readLimits = { atOnceMax: 8, waitingMax: 200, spareMax: 1 }

// Apart from results: hostile pages take seconds to show, and no caller's program waits for that.
const lookLimits = { atOnceMax: 2, waitingMax: 200, spareMax: 1 }

export const expired = () => new Failure('EXPIRED', 'The result is no longer kept.')

export const noScreenshot = () => new Failure('NOT_FOUND', 'This task has no screenshot.')

export const noFile = () => new Failure('NOT_FOUND', 'This task has no file.')

/** A file as the target sent it, without its content encoding. */
export interface PageFile {
  /** By its bytes; undefined if it is no image that browsers show. */
  imageType: string | undefined
  /** As the target named it. */
  contentType: string
  bytes: Uint8Array
}

const tooManyReaders = () =>
  new Failure('RATE_LIMITED', 'Too many results are being read at once.', { retryAfterSeconds: 1 })

/** The result of a task, in the form in which its caller gets it. */
export interface FinishedResult extends ShownResult {
  content: Content
}

/**
 * Whether the content is sent alone, as to a realtime caller, embedded in a result object, or as the
 * `data` of an extraction. The last two differ for an extraction only.
 */
export type ContentForm = PageToPresent['form'] | 'extraction'

/** The form in which the caller of a task gets its result. */
export function formFor(task: Task): ContentForm {
  const { kind } = task.request.purpose
  if (kind === 'map') return 'raw'
  if (kind === 'realtime') return realtimeForm(task)
  return kind === 'callback' ? 'embedded' : 'extraction'
}

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
  const isLinked = form !== 'plain' && encoding === 'binary'
  return isLinked ? { ...image, url: links.screenshot(task.id) } : undefined
}

/** The result from what an engine fetched; `content` must have the form that the caller gets. */
export function toResult(
  links: TaskLinks,
  task: Task & Pick<TaskProgress, 'attemptLog'>,
  fetched: { page: Page; content: Content; engine: TaskLane; verdict?: PageVerdict | undefined },
): FinishedResult {
  const { content, engine, verdict } = fetched
  const engineReason = engineReasonOf(task, engine, verdict)
  const page = { ...factsOf(fetched.page, engine), ...(engineReason && { engineReason }) }
  const form = formFor(task)
  const linked = page.screenshot && linkedImage(links, task, { image: page.screenshot, form })
  return {
    page,
    content,
    image: linked ?? fetched.page.screenshot,
    file: linkedFile(links, task, content),
  }
}

/** Reads the result of a task from the store; undefined when it is no longer kept. */
export async function readResult(
  parts: StoredResultParts,
  task: Task & TaskProgress,
  form: ContentForm,
  signal?: AbortSignal,
): Promise<FinishedResult | undefined> {
  const [page] = await parts.db.run(findResult(parts.sealer, ownerOf(task)))
  if (!page) return undefined
  const image = page.screenshot && (await readImage(parts, task, { image: page.screenshot, form }))
  if (page.screenshot && !image) return undefined
  const present = (ending: AbortSignal) =>
    presentStored(parts, task, { page, form, signal: ending })
  const content = await parts.presented.get({ task, form }, present, signal)
  return content && { page, content, image, file: linkedFile(parts.links, task, content) }
}

async function presentStored(
  { db, contents }: StoredResultParts,
  task: Task,
  { page, form, signal }: { page: PageFacts; form: ContentForm; signal: AbortSignal },
): Promise<Content | undefined> {
  const [body] = await db.run(readBlob({ ownerId: ownerOf(task).id, kind: 'page' }))
  const caller = { accountId: task.accountId, signal }
  return body && contents.present(pageToPresent(task, { ...page, body }, form), caller)
}

/** Any completed task can be shown in these formats, whatever its caller asked for. */
async function readPreview(
  { db, sealer, contents }: StoredResultParts,
  task: EndedTask,
  { format, caller }: { format: PreviewFormat; caller: PresentCaller },
): Promise<Content | undefined> {
  const [[page], [body]] = await db.transaction([
    findResult(sealer, ownerOf(task)),
    readBlob({ ownerId: ownerOf(task).id, kind: 'page' }),
  ] as const)
  if (!page || !body) return undefined
  return contents.present(
    {
      ...pageToPresent(task, { ...page, body }, 'embedded'),
      extract: {
        formats: [format],
        hasLinks: false,
        isMainContentOnly: extractOrderOf(task.request)?.isMainContentOnly ?? false,
        rules: undefined,
        url: page.url,
      },
      mayBePdf: !page.isText && looksLikePdf(page.headers, body),
      preview: format,
    },
    caller,
  )
}

/** The task whose result this one has: its own, or that of an earlier task of the account (`max_age`). */
const ownerOf = ({ id, accountId, request }: Task) => ({
  id: extractOrderOf(request)?.cachedFrom ?? id,
  accountId,
})

const linkedFile = (links: TaskLinks, task: Task, { file }: Content): ResultFile | undefined =>
  file && { url: links.file(task.id), bytes: file.bytes, content_type: file.contentType }

async function readImage(
  { db, links }: StoredResultParts,
  task: Task,
  wanted: { image: ImageFacts; form: ContentForm },
): Promise<ResultImage | undefined> {
  const linked = linkedImage(links, task, wanted)
  if (linked) return linked
  const [bytes] = await db.run(readBlob({ ownerId: ownerOf(task).id, kind: 'screenshot' }))
  return bytes && { ...wanted.image, bytes }
}

/** Null when the result has no screenshot, undefined when the result is no longer kept. */
async function readScreenshot(
  { db, sealer }: Pick<StoredResultParts, 'db' | 'sealer'>,
  task: Task,
): Promise<Screenshot | null | undefined> {
  const [[page], [bytes]] = await db.transaction([
    findResult(sealer, ownerOf(task)),
    readBlob({ ownerId: ownerOf(task).id, kind: 'screenshot' }),
  ] as const)
  return page && (page.screenshot && bytes ? { ...page.screenshot, bytes } : null)
}

/** A page with how it is presented: in the form that the task's options ask for. */
export function pageToPresent(
  { request }: Task,
  { headers, body, isText, url }: Pick<Page, 'headers' | 'body' | 'isText' | 'url'>,
  form: ContentForm,
): PageToPresent {
  const { options, purpose } = request
  const order = form === 'extraction' ? extractOrderOf(request) : undefined
  return {
    body,
    // A browser has decoded the page already, whatever encoding the target used.
    contentEncoding: isText ? undefined : headers['content-encoding'],
    contentType: isText ? 'text/html; charset=utf-8' : headers['content-type'],
    isJson: options.is_json_response,
    minify: options.HTMLMinifier,
    form: form === 'extraction' ? 'embedded' : form,
    ...(order && {
      extract: {
        ...toDataOrder(order, url),
        ...(purpose.kind === 'crawl' && { robotsTags: [headers['x-robots-tag'] ?? ''] }),
      },
      mayBePdf: !isText && looksLikePdf(headers, body),
    }),
  }
}

const toDataOrder = (
  { formats, hasLinks, isMainContentOnly, rules }: ExtractOrder,
  url: string,
): DataOrder => ({ formats, hasLinks, isMainContentOnly, rules, url })
