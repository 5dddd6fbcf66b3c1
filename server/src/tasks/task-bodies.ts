import { toExtractionError } from '../domain/extraction-error.ts'
import { failures } from '../domain/failure.ts'
import { shownUrl } from '../domain/shown-url.ts'
import { type Task, type TaskError, type TaskProgress, taskStatus } from '../domain/task.ts'
import type { ExtractJob } from '../domain/task-object.ts'
import { isoTime } from '../runtime/iso-time.ts'
import { bytesOf, type JsonPieces, spliceJson } from '../runtime/splice-json.ts'
import { type FinishedTask, type PageFacts, toResultJson } from './finished-task.ts'

// Receivers are not expected to take more in one request.
const postedBytesMax = 8 * 1024 * 1024

const nothing = [Buffer.from('null')]

/** What is posted to a task's callback URL. */
export function callbackBody({ task, result }: FinishedTask, publicUrl: string): Uint8Array {
  const error = task.error && {
    code: task.error.code,
    message: task.error.message,
    retryable: failures[task.error.code].isRetryable,
  }
  const before = {
    requestId: task.id,
    status: taskStatus(task),
    url: shownUrl(task.request.url),
    createdAt: isoTime(task.createdAtMs),
    completedAt: isoTime(task.completedAtMs ?? task.createdAtMs),
    attempts: task.attempts,
    metadata: task.metadata,
  }
  const posted = result ? postedResult(task, result, publicUrl) : nothing
  return Buffer.concat(spliceJson(before, 'result', posted, { error }))
}

function postedResult(
  task: Task & TaskProgress,
  result: NonNullable<FinishedTask['result']>,
  publicUrl: string,
): JsonPieces {
  const whole = toResultJson({ task, ...result })
  if (bytesOf(whole) <= postedBytesMax) return whole
  const { statusCode, url } = result.page
  const resultUrl = `${publicUrl}${statusPath(task.id)}/result`
  return [Buffer.from(JSON.stringify({ statusCode, url, resultUrl }))]
}

/** What a webhook is told about a task: the job as `/v1` shows it. */
export function eventBody(
  finished: FinishedTask,
  event: { name: string; webhookId: string; deliveryId: string; publicUrl: string },
): Uint8Array {
  const { task } = finished
  const whole = jobPieces(finished)
  const isPosted = bytesOf(whole) <= postedBytesMax
  const thin = () => ({
    job_id: task.id,
    status: taskStatus(task),
    result_url: `${event.publicUrl}${jobPath(task.id)}`,
  })
  const before = {
    event: event.name,
    webhook_id: event.webhookId,
    delivery_id: event.deliveryId,
    timestamp: isoTime(task.completedAtMs ?? task.createdAtMs),
  }
  const data = isPosted ? whole : [Buffer.from(JSON.stringify(thin()))]
  return Buffer.concat(spliceJson(before, 'data', data))
}

/** The job object of `/v1` for a single task; the content is there once it is completed and kept. */
export const jobBody = (finished: FinishedTask): Uint8Array => Buffer.concat(jobPieces(finished))

function jobPieces({ task, result }: FinishedTask): JsonPieces {
  const job = {
    job_id: task.id,
    status: taskStatus(task),
    created_at: isoTime(task.createdAtMs),
    completed_at: task.completedAtMs === null ? null : isoTime(task.completedAtMs),
  }
  return spliceJson(job, 'data', result ? jobData(result) : nothing, {
    metadata: result && jobMetadata(task, result.page),
    error: jobError(task),
    tokens_charged: task.state === 'open' ? null : Number(task.state === 'completed'),
  })
}

const jobData = ({ content }: NonNullable<FinishedTask['result']>): JsonPieces =>
  content.kind === 'html'
    ? spliceJson({}, 'html', [content.bytes], { markdown: null })
    : spliceJson({ html: null, markdown: null }, 'json', [content.bytes])

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
    // What a scrape forwards may be a credential, and receivers are third parties.
    headers: null,
    wait_config: null,
  }
}

export const statusPath = (taskId: string): string => `/api/scraper/scrape/callback/${taskId}`
const jobPath = (taskId: string): string => `/v1/extract/${taskId}`
