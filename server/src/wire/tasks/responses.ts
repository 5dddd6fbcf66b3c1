import { z } from 'zod'
import { type FailureCode, failures } from '../../domain/failure.ts'
import { formatNames, proxyTypes, RenderJs } from '../../domain/scrape/extract-options.ts'
import { shownOptions } from '../../domain/scrape/shown-options.ts'
import { DeliveryStatus, Engine, EventType, TaskStatus } from '../named-enums.ts'
import { cappedPageFields } from '../pagination.ts'
import { TaskErrorObject } from '../scrape/responses.ts'
import { DeliveryAttempt } from '../webhooks/responses.ts'
import { repeatablePaths } from './repeatable-request.ts'

/** How a task came about: by itself, or as a page of a job. */
const taskOrigins = ['callback', 'realtime', 'extract', 'batch', 'crawl', 'map'] as const

const time = z.string().describe('ISO 8601, UTC.')
const id = z.uuid().describe('The id of the task.')

const summaryFields = {
  id,
  kind: z
    .enum(taskOrigins)
    .describe('How it was asked for: by itself, or as a page of a batch, crawl or map.'),
  status: TaskStatus,
  url: z.string().describe('As given, without user and password.'),
  host: z.string().describe('The host of the URL, with its port unless it is the default one.'),
  job_id: z.uuid().nullable().describe('The batch, crawl or map that it belongs to.'),
  retry_of: z.uuid().nullable().describe('The task that it repeats.'),
  created_at: time,
  started_at: time.nullable(),
  completed_at: time.nullable(),
  duration_ms: z.int().nullable().describe('From its start to its end; null before.'),
  attempts: z.int().describe('Attempts so far.'),
  engine: Engine.nullable().describe('Of the last attempt; null before the first.'),
  http_status: z.int().nullable().describe('What the target answered last; null where it did not.'),
  error: TaskErrorObject.nullable().describe('Why it failed.'),
  bytes: z.int().nullable().describe('The size of the stored result; null where there is none.'),
}

/** A task of any kind, as a list shows it. */
export const TaskSummary = z.object(summaryFields).meta({ id: 'TaskSummary' })

export type TaskSummary = z.infer<typeof TaskSummary>

export const TaskSearchResult = z
  .object({
    tasks: z.array(TaskSummary),
    ...cappedPageFields,
  })
  .meta({ id: 'TaskSearchResult' })

const TaskAttempt = z.object({
  engine: Engine,
  proxy: z.string().nullable().describe('The label of the proxy.'),
  outcome: z.enum(['page', ...(Object.keys(failures) as FailureCode[])]),
  http_status: z.int().nullable(),
  started_at: time,
  duration_ms: z.int(),
  queue_ms: z.int().describe('From being due to being started.'),
  timings: z
    .record(z.string(), z.number())
    .nullable()
    .describe('Milliseconds by phase: dns, connect, tls, first_byte, download, render and so on.'),
})

const DeliveryOfTask = z.object({
  id: z.uuid(),
  webhook_id: z.uuid().nullable().describe('Null for the callback of the task.'),
  event_type: EventType.nullable(),
  status: DeliveryStatus,
  attempt_number: z.int().describe('Attempts so far.'),
  http_status: z.int().nullable().describe('What the receiver answered last.'),
  created_at: time,
  delivered_at: time.nullable(),
  next_attempt_at: time.nullable().describe('When it is tried again; null if it is not.'),
  attempts: z.array(DeliveryAttempt).describe('Oldest first, the first 100.'),
})

const OptionsOfTask = z.object({
  method: z.string(),
  timeout_ms: z.int(),
  render_js: RenderJs,
  formats: z.array(z.enum(formatNames)).describe('Of an extraction; empty for a scrape.'),
  proxy: z.object({ country: z.string().nullable(), type: z.enum(proxyTypes) }).nullable(),
  headers: shownOptions.headers,
  wait_config: shownOptions.wait_config,
  session: z.string().nullable(),
})

const RequestOfTask = z.object({
  path: z.enum(repeatablePaths),
  body: z.record(z.string(), z.unknown()).describe('What differs from the defaults.'),
  left_out: z.array(z.string()).describe('What is not in it.'),
})

/** Everything about a task but its content, which `GET /v1/extract/{job_id}` has. */
export const TaskDetails = z
  .object({
    ...summaryFields,
    callback_url: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable().describe('As the caller gave it.'),
    options: OptionsOfTask.describe('What was asked for, credentials as `***`.'),
    request: RequestOfTask.nullable().describe(
      'A call that asks for the same page, without headers, cookies, storage, scenario and body. Null where the stored request cannot be read.',
    ),
    attempt_log: z.array(TaskAttempt),
    deliveries: z.array(DeliveryOfTask).describe('Its callback and its webhook events.'),
  })
  .meta({ id: 'TaskDetails' })

export type TaskDetails = z.infer<typeof TaskDetails>

export const AcceptedRetry = z
  .object({
    id,
    status: z.literal('queued'),
    retry_of: z.uuid().describe('The task that it repeats.'),
    status_url: z.string().describe('Where the new task can be followed.'),
    created_at: time,
  })
  .meta({ id: 'AcceptedRetry' })

const TargetCookie = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  path: z.string(),
  expires: z.string().nullable().describe('ISO 8601; null for a session cookie.'),
  http_only: z.boolean(),
  secure: z.boolean(),
  same_site: z.string().nullable(),
})

const RecordedRequest = z.object({
  url: z.string(),
  type: z.string().describe('`document`, `script`, `image`, `fetch` and so on.'),
  http_status: z.int().nullable(),
  bytes: z.number().describe('On the wire.'),
  started_ms: z.number().nullable().describe('From the start of the page.'),
  duration_ms: z.number(),
  is_blocked: z.boolean().describe('It was not sent, as the request asked.'),
})

/** What a target answered to a completed task, without the content. */
export const TargetResponse = z
  .object({
    url: z.string().describe('After every redirect.'),
    http_status: z.int(),
    engine: Engine,
    headers: z.record(z.string(), z.string()).describe('Names in lower case.'),
    cookies: z.array(TargetCookie),
    bandwidth: z
      .object({ received: z.int(), sent: z.int(), requests: z.int() })
      .describe('Bytes on the wire and requests, redirects included.'),
    screenshot: z
      .object({ type: z.enum(['png', 'jpeg', 'webp']), width: z.int(), height: z.int() })
      .nullable()
      .describe('In pixels; the preview has the image.'),
    requests: z
      .array(RecordedRequest)
      .nullable()
      .describe('The first 300; null for a page in a browser without `debug`.'),
    console: z
      .array(z.object({ level: z.string(), text: z.string() }))
      .nullable()
      .describe('Null without a browser and `debug`.'),
    wait_ended_at_deadline: z
      .boolean()
      .describe('Whether the page did not become quiet within its time.'),
  })
  .meta({ id: 'TargetResponse' })

export type TargetResponse = z.infer<typeof TargetResponse>
