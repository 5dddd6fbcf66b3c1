import type { Delivery } from '../domain/delivery/delivery.ts'
import { failures } from '../domain/failure.ts'
import { redactUrl } from '../domain/redact-url.ts'
import type { PageFacts } from '../domain/scrape/page.ts'
import { toExtractionError } from '../domain/task/extraction-error.ts'
import { type Task, type TaskError, type TaskProgress, taskStatus } from '../domain/task/task.ts'
import type { ExtractJob } from '../domain/task/task-object.ts'
import { imageJson } from '../formats/result-object.ts'
import { isoTime } from '../runtime/iso-time.ts'
import { bytesOf, type JsonPieces, joined, spliceJson } from '../runtime/splice-json.ts'
import { type FinishedTask, findFinished, toResultJson } from './finished-task.ts'
import type { FinishedResult, StoredResultParts } from './kept-results.ts'
import type { TaskLinks } from './task-links.ts'

// Larger results are replaced by a link: receivers often limit the size of a request body.
const postedBytesMax = 8 * 1024 * 1024

const jsonNull = [Buffer.from('null')]

/** The body (payload) of a delivery about a task; undefined once the result is no longer kept. */
export async function deliveryBody(
  parts: StoredResultParts,
  { id, taskId, webhook }: Delivery,
): Promise<Uint8Array | undefined> {
  const finished = await findFinished(parts, taskId, () => 'embedded')
  if (!finished) return undefined
  const { links } = parts
  if (!webhook) return callbackBody(finished, links)
  const event = { name: webhook.eventType, webhookId: webhook.id, deliveryId: id }
  return eventBody(finished, event, links)
}

export function callbackBody({ task, result }: FinishedTask, links: TaskLinks): Uint8Array {
  const error = task.error && {
    code: task.error.code,
    message: task.error.message,
    retryable: failures[task.error.code].isRetryable,
  }
  const before = {
    requestId: task.id,
    status: taskStatus(task),
    url: redactUrl(task.request.url),
    createdAt: isoTime(task.createdAtMs),
    completedAt: isoTime(task.completedAtMs ?? task.createdAtMs),
    attempts: task.attempts,
    metadata: task.metadata,
  }
  const posted = result ? postedResult(task, result, links) : jsonNull
  return joined(spliceJson(before, 'result', posted, { error }))
}

function postedResult(
  task: Task & TaskProgress,
  result: FinishedResult,
  links: TaskLinks,
): JsonPieces {
  const whole = toResultJson({ task, ...result })
  if (bytesOf(whole) <= postedBytesMax) return whole
  const { statusCode, url } = result.page
  const thin = { statusCode, url, resultUrl: links.result(task.id) }
  return [Buffer.from(JSON.stringify(thin))]
}

/** The body of a webhook event about a task: the job as `/v1` shows it. */
function eventBody(
  finished: FinishedTask,
  event: { name: string; webhookId: string; deliveryId: string },
  links: TaskLinks,
): Uint8Array {
  const { task } = finished
  const whole = jobJson(finished)
  const isPosted = bytesOf(whole) <= postedBytesMax
  const thin = () => ({
    job_id: task.id,
    status: taskStatus(task),
    result_url: links.job(task.id),
  })
  const before = {
    event: event.name,
    webhook_id: event.webhookId,
    delivery_id: event.deliveryId,
    timestamp: isoTime(task.completedAtMs ?? task.createdAtMs),
  }
  const data = isPosted ? whole : [Buffer.from(JSON.stringify(thin()))]
  return joined(spliceJson(before, 'data', data))
}

/** The job object of `/v1` for one task, with its content while the result is kept. */
export function jobJson({ task, result }: FinishedTask): JsonPieces {
  const job = {
    job_id: task.id,
    status: taskStatus(task),
    created_at: isoTime(task.createdAtMs),
    completed_at: task.completedAtMs === null ? null : isoTime(task.completedAtMs),
  }
  return spliceJson(job, 'data', result ? jobData(result) : jsonNull, {
    metadata: result && jobMetadata(task, result.page),
    error: jobError(task),
    tokens_charged: task.state === 'open' ? null : Number(task.state === 'completed'),
  })
}

function jobData({ content, image }: FinishedResult): JsonPieces {
  const isHtml = content.kind === 'html'
  const markdown = isHtml ? { markdown: null } : {}
  const after = image ? spliceJson(markdown, 'screenshot', imageJson(image)) : markdown
  const before = isHtml ? {} : { html: null, markdown: null }
  return spliceJson(before, content.kind, [content.bytes], after)
}

function jobError(task: Task & TaskProgress) {
  const cancelled: TaskError = { code: 'CANCELLED', message: 'The task was cancelled.' }
  const error = task.state === 'cancelled' ? cancelled : task.error
  return error && toExtractionError(error, task.id)
}

function jobMetadata(task: Task & TaskProgress, page: PageFacts): ExtractJob['metadata'] {
  const endedAtMs = task.completedAtMs ?? task.createdAtMs
  return {
    url: page.url,
    render_js: task.request.options.js_render,
    http_status: page.statusCode,
    duration_ms: Math.round(endedAtMs - (task.startedAtMs ?? task.createdAtMs)),
    retry_count: task.attempts - 1,
    formats: ['html'],
    processing_mode: task.kind === 'realtime' ? 'sync' : 'async',
    proxy: null,
    // Forwarded headers may hold credentials, and receivers are third parties.
    headers: null,
    wait_config: null,
  }
}
