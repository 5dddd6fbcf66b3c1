import { z } from 'zod'
import { type FailureCode, failures } from '../../domain/failure.ts'
import { formatNames, proxyTypes, publicFormats } from '../../domain/scrape/extract-options.ts'
import { processingModes } from '../../domain/scrape/extract-request.ts'
import { CollectedResponse, PageCookie, StepReport } from '../../domain/scrape/page.ts'
import { shownOptions } from '../../domain/scrape/shown-options.ts'
import { PageMetadata } from '../extract/page-metadata.ts'
import { DeliveryStatus, Engine, ExtractionErrorCode, TaskStatus } from '../named-enums.ts'
import { cappedPageFields } from '../pagination.ts'

const time = z.string().describe('ISO 8601, UTC.')
const status = TaskStatus
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

export const TaskErrorObject = z
  .object({
    code: z.enum(Object.keys(failures) as [FailureCode, ...FailureCode[]]),
    message: z.string(),
    retryable: z.boolean().describe('Whether asking again may succeed.'),
  })
  .meta({ id: 'TaskError' })

export const TaskDelivery = z
  .object({
    status: DeliveryStatus,
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
    delivery: TaskDelivery.nullable().describe('How the callback stands; null in realtime mode.'),
  })
  .meta({ id: 'Task' })

export type TaskObject = z.infer<typeof TaskObject>

const Screenshot = z
  .object({
    type: z.enum(['png', 'jpeg', 'webp']),
    width: z.int(),
    height: z.int(),
    data: z.string().optional().describe('Base64, with `encoding: "base64"`.'),
    url: z
      .string()
      .optional()
      .describe('A link to the image, with `encoding: "binary"`; it needs no credentials.'),
  })
  .meta({ id: 'Screenshot' })

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
    engine: Engine.optional(),
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
    code: ExtractionErrorCode,
    message: z.string(),
    retryable: z.boolean(),
    details: z.record(z.string(), z.string()).describe('`reason` is the code of the failure.'),
    correlation_id: z.string(),
  })
  .meta({ id: 'ExtractionError' })

export type ExtractionError = z.infer<typeof ExtractionError>

/** Which engine fetched a page and why, or that a stored result answered. */
export const fetchedHowFields = {
  engine: Engine.optional().describe('The engine that fetched the page.'),
  engine_reason: z
    .string()
    .optional()
    .describe(
      'Why this engine: `requested`, `options_need_browser`, `method_needs_http`, `file` (a browser does not give files), or with `auto` `static`, `scripted_host`, `browser_unavailable` or what the response showed, such as `empty_app_root`.',
    ),
  cached: z
    .literal(true)
    .optional()
    .describe('The result is that of an earlier extraction, as `max_age` allows.'),
}

const ExtractionMetadata = z
  .object({
    url: z.string().describe('After every redirect.'),
    render_js: z.boolean().describe('As given; with `auto`, whether a browser was used.'),
    http_status: z.int().nullable(),
    duration_ms: z.int().nullable(),
    retry_count: z.int(),
    formats: shownOptions.formats,
    all_formats: z.array(z.enum(formatNames)),
    processing_mode: z.enum(processingModes),
    proxy: z
      .object({
        country: z
          .string()
          .regex(/^[A-Z]{2}$/)
          .nullable(),
        type: z.enum(proxyTypes),
      })
      .nullable(),
    headers: shownOptions.headers,
    wait_config: shownOptions.wait_config,
    ...fetchedHowFields,
    content_type: z.string().nullable().describe('As the target gave it.'),
  })
  .meta({ id: 'ExtractionMetadata' })

export const ExtractionData = z
  .looseObject({
    html: z.string().nullable(),
    markdown: z.string().nullable(),
    text: z.string().nullish().describe('Null for a file.'),
    links: z.array(z.string()).optional().describe('Absolute, each once, in order of the page.'),
    metadata: PageMetadata.optional(),
    extracted: z
      .record(z.string(), z.unknown())
      .nullish()
      .describe(
        'What `extract_rules` found, by the names of the rules; null where there is no HTML.',
      ),
    json: z.unknown().optional().describe('Where the target answered with JSON.'),
    pdf: z
      .object({
        page_count: z.int(),
        is_truncated: z.boolean().describe('Pages or text beyond the limits were left out.'),
      })
      .optional()
      .describe('Where the target answered with a PDF.'),
    screenshot: Screenshot.optional(),
    file: z
      .object({
        url: z.string().describe('A link to the file; it needs no credentials.'),
        bytes: z.int(),
        content_type: z.string(),
      })
      .optional()
      .describe('Where the target answered with neither text nor markup.'),
  })
  .meta({ id: 'ExtractionData' })

/** A completed extraction, as the caller who waited for it gets it. */
export const Extraction = z
  .object({
    data: ExtractionData,
    metadata: ExtractionMetadata,
    tokens_charged: z.int(),
  })
  .meta({ id: 'Extraction' })

/** The response to an extraction that is not waited for. */
export const AcceptedExtraction = z
  .object({
    job_id: z.uuid(),
    status: z.literal('queued'),
    status_url: z.string().describe('Where the job can be followed.'),
    estimated_tokens: z.int(),
  })
  .meta({ id: 'AcceptedExtraction' })

/** A single task as `/v1` and the event `extract_completed` show it. */
export const ExtractJob = z
  .object({
    job_id: z.uuid(),
    status,
    created_at: time,
    completed_at: time.nullable(),
    data: ExtractionData.nullable(),
    metadata: ExtractionMetadata.nullable(),
    error: ExtractionError.nullable(),
    tokens_charged: z.int().nullable(),
  })
  .meta({ id: 'ExtractJob' })

export type ExtractJob = z.infer<typeof ExtractJob>

export const ExtractJobItem = z
  .object({
    job_id: z.uuid(),
    status,
    url: z.string(),
    created_at: time,
    execution_time: z.int().nullable().describe('In ms; null while it runs.'),
    output: z.array(z.enum(publicFormats)).describe('Those of the two that were asked for.'),
    all_formats: z.array(z.enum(formatNames)),
  })
  .meta({ id: 'ExtractJobItem' })

export const ExtractJobList = z
  .object({
    jobs: z.array(ExtractJobItem),
    ...cappedPageFields,
  })
  .meta({ id: 'ExtractJobList' })
