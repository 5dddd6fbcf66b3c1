import { failures } from '../../domain/failure.ts'
import { redactUrl } from '../../domain/redact-url.ts'
import { taskStatus } from '../../domain/task/task.ts'
import { isoTime } from '../../runtime/iso-time.ts'
import { bytesOf, type JsonPieces, joined, spliceJson } from '../../runtime/splice-json.ts'
import { type EndedTask, extractionJson, jsonNull } from '../extract/to-responses.ts'
import { type ShownResult, toResultJson } from '../scrape/to-responses.ts'
import type { TaskLinks } from './links.ts'

// Larger results are replaced by a link: receivers often limit the size of a request body.
const postedBytesMax = 8 * 1024 * 1024

interface EndedWithResult {
  task: EndedTask
  result: ShownResult | null
}

export function callbackBody(
  { task, result }: EndedWithResult,
  links: Pick<TaskLinks, 'result'>,
): Uint8Array {
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
  task: EndedTask,
  result: ShownResult,
  links: Pick<TaskLinks, 'result'>,
): JsonPieces {
  const whole = toResultJson({ task, ...result })
  if (bytesOf(whole) <= postedBytesMax) return whole
  const { statusCode, url } = result.page
  const thin = { statusCode, url, resultUrl: links.result(task.id) }
  return [Buffer.from(JSON.stringify(thin))]
}

/** The body of a webhook event about a task: its object in `/v1`. */
export function eventBody(
  { task, result }: EndedWithResult,
  event: { name: string; webhookId: string; deliveryId: string },
  links: TaskLinks,
): Uint8Array {
  const whole = extractionJson(task, result)
  const isPosted = bytesOf(whole) <= postedBytesMax
  const thin = () => ({
    job_id: task.id,
    status: taskStatus(task),
    result_url: links.extraction(task.id),
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
