import { z } from 'zod'
import { failures } from '../../domain/failure.ts'
import { parseUrl } from '../../domain/parse-url.ts'
import { redactHeaders } from '../../domain/redact-headers.ts'
import { redactUrl } from '../../domain/redact-url.ts'
import type { PageCookie, PageFacts, PageRequestRecord } from '../../domain/scrape/page.ts'
import { extractOrderOf, type ScrapeRequest } from '../../domain/scrape/scrape-request.ts'
import type { AttemptRecord } from '../../domain/task/attempt.ts'
import type { DetailedTask, SearchedTask } from '../../domain/task/listed-task.ts'
import { taskStatus } from '../../domain/task/task.ts'
import { runMsOf } from '../../domain/task/usage-statistics.ts'
import { isoTime, isoTimeOrNull } from '../../runtime/iso-time.ts'
import { toAttemptObject } from '../webhooks/to-responses.ts'
import { toRepeatableRequest } from './repeatable-request.ts'
import type { TargetResponse, TaskDetails, TaskSummary } from './responses.ts'

export const TaskIdPath = z.object({
  task_id: z.guid().toLowerCase().describe('The id of the task.'),
})

export function toTaskSummary(task: SearchedTask): TaskSummary {
  const { error, attemptLog } = task
  const lastAttempt = attemptLog.at(-1)
  return {
    id: task.id,
    kind: task.jobKind ?? task.request.purpose.kind,
    status: taskStatus(task),
    url: redactUrl(task.request.url),
    host: parseUrl(task.request.url)?.host ?? '',
    job_id: task.job?.id ?? null,
    retry_of: task.request.retryOf ?? null,
    created_at: isoTime(task.createdAtMs),
    started_at: isoTimeOrNull(task.startedAtMs),
    completed_at: isoTimeOrNull(task.completedAtMs),
    duration_ms: runMsOf(task),
    attempts: task.attempts,
    engine: lastAttempt?.engine ?? null,
    http_status: lastAttempt?.statusCode ?? null,
    error: error && { ...error, retryable: failures[error.code].isRetryable },
    bytes: task.bytes,
  }
}

export function toTaskDetails(task: DetailedTask): TaskDetails {
  return {
    ...toTaskSummary(task),
    callback_url: task.callbackUrl,
    metadata: task.metadata,
    options: toOptions(task.request),
    request: toRepeatableRequest(task) ?? null,
    attempt_log: task.attemptLog.map(toAttempt),
    deliveries: task.deliveries.map((delivery) => ({
      id: delivery.id,
      webhook_id: delivery.webhookId,
      event_type: delivery.eventType,
      status: delivery.state,
      attempt_number: delivery.attempts,
      http_status: delivery.lastStatusCode,
      created_at: isoTime(delivery.createdAtMs),
      delivered_at: isoTimeOrNull(delivery.deliveredAtMs),
      next_attempt_at: isoTimeOrNull(delivery.nextAttemptAtMs),
      attempts: delivery.attemptLog.map(toAttemptObject),
    })),
  }
}

/** Headers of a scrape are the caller's own, forwarded; they may be credentials and are not shown. */
function toOptions(request: ScrapeRequest): TaskDetails['options'] {
  const { options, target } = request
  const extract = extractOrderOf(request)
  return {
    method: target?.method ?? 'GET',
    timeout_ms: request.timeoutMs,
    render_js: extract?.renderJs ?? options.js_render,
    formats: extract?.formats ?? [],
    proxy: extract?.proxy
      ? { country: extract.proxy.country ?? null, type: extract.proxy.type }
      : null,
    headers: extract?.headers ? redactHeaders(extract.headers) : null,
    wait_config: extract?.waitConfig ?? null,
    session: request.session ?? null,
  }
}

function toAttempt(record: AttemptRecord): TaskDetails['attempt_log'][number] {
  const timings = Object.entries(record.timings ?? {}).flatMap(([name, ms]) =>
    typeof ms === 'number' ? [[snakeCase(name.replace(/Ms$/, '')), toTenths(ms)]] : [],
  )
  return {
    engine: record.engine,
    proxy: record.proxy,
    outcome: record.outcome,
    http_status: record.statusCode,
    started_at: isoTime(record.startedAtMs),
    duration_ms: Math.round(record.durationMs),
    queue_ms: Math.round(record.queueMs),
    timings: record.timings && Object.fromEntries(timings),
  }
}

const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const toTargetResponse = (page: PageFacts): TargetResponse => ({
  url: redactUrl(page.url),
  http_status: page.statusCode,
  engine: page.engine,
  headers: page.headers,
  cookies: page.cookies.map(toCookie),
  bandwidth: page.bandwidth,
  screenshot: page.screenshot ?? null,
  requests: isRecorded(page) ? page.requests.map(toRequest) : null,
  console: page.console ?? null,
  wait_ended_at_deadline: page.isWaitCutShort ?? false,
})

/** A browser records the requests of a page together with its console, with `debug`. */
const isRecorded = ({ engine, console }: PageFacts): boolean =>
  engine === 'http' || console !== undefined

const toCookie = ({ httpOnly, sameSite, ...cookie }: PageCookie) => ({
  ...cookie,
  http_only: httpOnly,
  same_site: sameSite,
})

const toRequest = (request: PageRequestRecord) => ({
  url: redactUrl(request.url),
  type: request.type,
  http_status: request.statusCode,
  bytes: request.bytes,
  started_ms: request.startedMs === undefined ? null : toTenths(request.startedMs),
  duration_ms: toTenths(request.durationMs),
  is_blocked: request.isBlocked,
})

const toTenths = (ms: number): number => Math.round(ms * 10) / 10
