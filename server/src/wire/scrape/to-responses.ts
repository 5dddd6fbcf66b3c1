import type { CallbackProgress } from '../../domain/delivery/delivery-views.ts'
import { failures } from '../../domain/failure.ts'
import { redactUrl } from '../../domain/redact-url.ts'
import type { ImageFacts, PageFacts } from '../../domain/scrape/page.ts'
import type { AttemptRecord } from '../../domain/task/attempt.ts'
import type { ListedTask } from '../../domain/task/listed-task.ts'
import { type Task, type TaskProgress, taskStatus } from '../../domain/task/task.ts'
import { isoTime, isoTimeOrNull } from '../../runtime/iso-time.ts'
import { base64Piece, type JsonPieces, spliceJson } from '../../runtime/splice-json.ts'
import type { TaskObject } from './responses.ts'

export interface ResultFacts {
  page: Pick<PageFacts, 'statusCode' | 'url' | FetchFacts | 'collectedData' | 'scenario'>
  /** In the embedded form. */
  content: Pick<ShownContent, 'kind' | 'bytes'>
  image?: ResultImage | undefined
  options: { response_format: 'html' | 'json'; debug: boolean }
  attempts: number
  debug?: object | undefined
}

type FetchFacts = 'headers' | 'cookies' | 'bandwidth' | 'engine'

/** The screenshot as callers get it: its bytes, or a link to it. */
export type ResultImage = ImageFacts & ({ bytes: Uint8Array } | { url: string })

/** A page in the form in which its caller gets it. */
interface ShownContent {
  kind: 'html' | 'json' | 'data'
  bytes: Uint8Array
  charset: string
  hasReplacements: boolean
  decodedBytes: number
}

export interface ShownResult {
  page: PageFacts
  content: ShownContent
  image: ResultImage | undefined
  /** Only of an extraction whose target sent neither text nor markup. */
  file?: ResultFile | undefined
}

/** The target's file as callers get it. */
export interface ResultFile {
  url: string
  bytes: number
  content_type: string
}

export function resultJson(facts: ResultFacts): JsonPieces {
  const { page, content, image } = facts
  const { statusCode, url } = page
  const after = image
    ? spliceJson(fetchFields(facts), 'screenshot', imageJson(image), browserFields(facts))
    : { ...fetchFields(facts), ...browserFields(facts) }
  return spliceJson({ statusCode, url }, content.kind, [content.bytes], after)
}

function fetchFields({ page, options, attempts }: ResultFacts): object {
  if (options.response_format === 'html') return {}
  const { headers, cookies, bandwidth, engine } = page
  return { headers, cookies, bandwidth, engine, attempts }
}

function browserFields({ page, options, debug }: ResultFacts): object {
  const { collectedData, scenario } = page
  const isDebugged = options.response_format === 'json' && options.debug && debug !== undefined
  return { collectedData, scenario, ...(isDebugged && { debug }) }
}

/** The JSON of a screenshot: a link, or the image in base64. */
export function imageJson(image: ResultImage): JsonPieces {
  const { type, width, height } = image
  const facts = { type, width, height }
  if ('url' in image) return [Buffer.from(JSON.stringify({ ...facts, url: image.url }))]
  return spliceJson(facts, 'data', [quote, base64Piece(image.bytes), quote])
}

const quote = Buffer.from('"')

/** The result object; its content must have the embedded form. */
export function toResultJson(finished: ShownResult & { task: Task & TaskProgress }): JsonPieces {
  const { task, page, content, image } = finished
  return resultJson({
    page,
    content,
    image,
    options: task.request.options,
    attempts: task.attempts,
    debug: task.request.options.debug ? toDebug(task, page, content) : undefined,
  })
}

function toDebug(task: TaskProgress, page: PageFacts, content: ShownContent): object {
  return {
    attempts: task.attemptLog.map(toDebugAttempt),
    requests: page.requests.map((request) => ({
      ...request,
      ...(request.startedMs !== undefined && { startedMs: toTenths(request.startedMs) }),
      durationMs: toTenths(request.durationMs),
    })),
    console: page.console ?? [],
    waitEndedAtDeadline: page.isWaitCutShort ?? false,
    charset: content.charset,
    hasReplacements: content.hasReplacements,
    decodedBytes: content.decodedBytes,
  }
}

/** The session with a proxy identifies a customer of the proxy's vendor, so it is not shown. */
const toDebugAttempt = ({ handover, ...record }: AttemptRecord): object => {
  const { startedAtMs, durationMs, queueMs, backoffMs: _, timings, ...attempt } = record
  return {
    ...attempt,
    startedAt: new Date(startedAtMs).toISOString(),
    durationMs,
    timings: {
      queue: queueMs,
      dns: toTenths(timings?.dnsMs),
      connect: toTenths(timings?.connectMs),
      tls: toTenths(timings?.tlsMs),
      firstByte: toTenths(timings?.firstByteMs),
      download: toTenths(timings?.downloadMs),
      render: toTenths(timings?.renderMs),
      wait: toTenths(timings?.waitMs),
      extract: toTenths(timings?.extractMs),
    },
  }
}

const toTenths = (ms: number | undefined): number | null =>
  ms === undefined ? null : Math.round(ms * 10) / 10

interface TaskWithCallback extends ListedTask, Pick<Task, 'callbackUrl' | 'metadata'> {
  callback: CallbackProgress | null
}

export function toTaskObject(task: TaskWithCallback): TaskObject {
  return {
    requestId: task.id,
    url: redactUrl(task.request.url),
    callbackUrl: task.callbackUrl,
    status: taskStatus(task),
    attempts: task.attempts,
    createdAt: isoTime(task.createdAtMs),
    startedAt: isoTimeOrNull(task.startedAtMs),
    completedAt: isoTimeOrNull(task.completedAtMs),
    metadata: task.metadata,
    error: task.error && { ...task.error, retryable: failures[task.error.code].isRetryable },
    delivery:
      task.request.purpose.kind === 'callback'
        ? toDelivery(task.callback, task.state === 'open')
        : null,
  }
}

/** Without a callback row, the callback of an open task is pending; a finished task had none to send. */
export function toDelivery(
  callback: CallbackProgress | null,
  isOpen: boolean,
): NonNullable<TaskObject['delivery']> {
  if (!callback) return { ...untried, status: isOpen ? 'pending' : 'skipped' }
  return {
    status: callback.state,
    attempts: callback.attempts,
    nextAttemptAt: isoTimeOrNull(callback.nextAttemptAtMs),
    lastStatusCode: callback.lastStatusCode,
    lastError: callback.lastError,
    deliveredAt: isoTimeOrNull(callback.deliveredAtMs),
  }
}

const untried = {
  attempts: 0,
  nextAttemptAt: null,
  lastStatusCode: null,
  lastError: null,
  deliveredAt: null,
}
