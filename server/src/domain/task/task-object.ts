import { z } from 'zod'
import { deliveryStatuses } from '../delivery/webhook.ts'
import { type FailureCode, failures } from '../failure.ts'
import { CollectedResponse, PageCookie, StepReport } from '../scrape/page.ts'
import { extractionErrorCodes } from './extraction-error.ts'
import { taskLanes } from './lane.ts'
import { taskStatuses } from './task.ts'

const time = z.string().describe('ISO 8601, UTC.')
const status = z.enum(taskStatuses)
const requestId = z.uuid().describe('The id of the task.')

/** The response to a scrape in callback mode. */
export const AcceptedTask = z
  .object({
    requestId,
    status: z.literal('queued'),
    statusUrl: z.string().describe('Where the task can be followed.'),
    createdAt: time,
  })
  .meta({ id: 'AcceptedTask' })

export type AcceptedTask = z.infer<typeof AcceptedTask>

/** Why a task failed. */
const TaskErrorObject = z
  .object({
    code: z.enum(Object.keys(failures) as [FailureCode, ...FailureCode[]]),
    message: z.string(),
    retryable: z.boolean().describe('Whether asking again may succeed.'),
  })
  .meta({ id: 'TaskError' })

const Delivery = z
  .object({
    status: z.enum(deliveryStatuses),
    attempts: z.int(),
    nextAttemptAt: time.nullable(),
    lastStatusCode: z.int().nullable().describe('What the receiver answered last.'),
    lastError: z.string().nullable(),
    deliveredAt: time.nullable(),
  })
  .meta({ id: 'TaskDelivery' })

/** The status of a task as callers see it. */
export const TaskObject = z
  .object({
    requestId,
    url: z.string(),
    callbackUrl: z.string().nullable().describe('Null for a task in realtime mode.'),
    status,
    attempts: z.int().describe('Attempts so far.'),
    createdAt: time,
    startedAt: time.nullable(),
    completedAt: time.nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable().describe('As the caller gave it.'),
    error: TaskErrorObject.nullable(),
    delivery: Delivery.nullable().describe('How the callback stands; null in realtime mode.'),
  })
  .meta({ id: 'Task' })

export type TaskObject = z.infer<typeof TaskObject>

const Screenshot = z.object({
  type: z.enum(['png', 'jpeg', 'webp']),
  width: z.int(),
  height: z.int(),
  data: z.string().optional().describe('Base64, with `encoding: "base64"`.'),
  url: z
    .string()
    .optional()
    .describe('A link to the image, with `encoding: "binary"`; it needs no credentials.'),
})

/** The result of a task. With `response_format: "html"` it has no headers, cookies and the like. */
export const ResultObject = z
  .looseObject({
    statusCode: z.int().describe("The target's."),
    url: z.string().describe('After every redirect.'),
    html: z.string().optional(),
    json: z.unknown().optional().describe('Instead of `html`, with `is_json_response`.'),
    headers: z.record(z.string(), z.string()).optional(),
    cookies: z.array(PageCookie).optional(),
    bandwidth: z
      .object({ received: z.int(), sent: z.int(), requests: z.int() })
      .optional()
      .describe('Bytes on the wire.'),
    engine: z.enum(taskLanes).optional(),
    attempts: z.int().optional(),
    screenshot: Screenshot.optional(),
    collectedData: z.array(CollectedResponse).optional(),
    scenario: z.array(StepReport).optional(),
    debug: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Result' })

export type ResultObject = z.infer<typeof ResultObject>

/** Why an extraction failed, in the form of `/v1`. */
export const ExtractionError = z
  .object({
    code: z.enum(extractionErrorCodes),
    message: z.string(),
    retryable: z.boolean(),
    details: z.record(z.string(), z.string()).describe('`reason` is the code of the failure.'),
    correlation_id: z.string(),
  })
  .meta({ id: 'ExtractionError' })

export type ExtractionError = z.infer<typeof ExtractionError>

const ExtractionMetadata = z.object({
  url: z.string().describe('After every redirect.'),
  render_js: z.boolean(),
  http_status: z.int().nullable(),
  duration_ms: z.int().nullable(),
  retry_count: z.int(),
  formats: z.array(z.enum(['html', 'markdown'])),
  processing_mode: z.enum(['sync', 'async']),
  proxy: z
    .object({
      country: z
        .string()
        .regex(/^[A-Z]{2}$/)
        .nullable(),
      type: z.enum(['residential', 'datacenter', 'mix']),
    })
    .nullable(),
  headers: z.record(z.string(), z.string()).nullable(),
  wait_config: z
    .object({
      wait_until: z.enum(['commit', 'domcontentloaded', 'load', 'networkidle']).nullish(),
      wait_for: z.string().nullish(),
      wait_timeout: z.int().nullish(),
    })
    .nullable(),
})

/** A single task as `/v1` and the event `extract_completed` show it. */
export const ExtractJob = z
  .object({
    job_id: z.uuid(),
    status,
    created_at: time,
    completed_at: time.nullable(),
    data: z
      .looseObject({
        html: z.string().nullable(),
        markdown: z.string().nullable(),
        json: z.unknown().optional().describe('Instead of `html`, with `is_json_response`.'),
        screenshot: Screenshot.optional(),
      })
      .nullable(),
    metadata: ExtractionMetadata.nullable(),
    error: ExtractionError.nullable(),
    tokens_charged: z.int().nullable(),
  })
  .meta({ id: 'ExtractJob' })

export type ExtractJob = z.infer<typeof ExtractJob>
