import { z } from 'zod'
import { BatchJob } from '../batch/responses.ts'
import { CrawlJob } from '../crawl/responses.ts'
import { TaskStatus } from '../named-enums.ts'
import { ExtractJob, ResultObject, TaskObject } from '../scrape/responses.ts'

/** What is sent instead of a job that is too large for a request body. */
const LargeJob = z
  .object({
    job_id: z.uuid(),
    status: TaskStatus,
    result_url: z.string().describe('Where the whole job can be read.'),
  })
  .describe('Instead of a job of more than 8 MiB.')
  .meta({ id: 'LargeJob' })

const eventFields = {
  delivery_id: z.uuid().describe('The same on every attempt.'),
  timestamp: z.string().describe('ISO 8601, UTC.'),
}

const webhook_id = z.uuid().describe('The webhook that the event is for.')
const jobsWebhookId = webhook_id.nullable().describe('Null for the `callback_url` of a job.')

export const ExtractCompleted = z
  .strictObject({
    event: z.literal('extract_completed'),
    webhook_id,
    ...eventFields,
    data: z.union([ExtractJob, LargeJob]),
  })
  .meta({ id: 'ExtractCompleted' })

const batchWithoutDelivery = BatchJob.omit({ delivery: true })
  .describe('Results have no `data` and no `metadata`.')
  .meta({ id: 'CompletedBatch' })

export const BatchCompleted = z
  .strictObject({
    event: z.literal('batch_completed'),
    webhook_id: jobsWebhookId,
    ...eventFields,
    data: z.union([batchWithoutDelivery, LargeJob]),
  })
  .meta({ id: 'BatchCompleted' })

const crawlWithoutDelivery = CrawlJob.omit({ delivery: true, frontier_pages: true })
  .describe('Results have no `data` and no `metadata`.')
  .meta({ id: 'CompletedCrawl' })

export const CrawlCompleted = z
  .strictObject({
    event: z.literal('crawl_completed'),
    webhook_id: jobsWebhookId,
    ...eventFields,
    data: z.union([crawlWithoutDelivery, LargeJob]),
  })
  .meta({ id: 'CrawlCompleted' })

export const Ping = z
  .strictObject({
    event: z.literal('ping'),
    webhook_id,
    ...eventFields,
    data: z.strictObject({}),
  })
  .meta({ id: 'Ping' })

const LargeResult = z
  .object({
    statusCode: z.int().describe("The target's."),
    url: z.string().describe('After every redirect.'),
    resultUrl: z.string().describe('Where the whole result can be read.'),
  })
  .describe('Instead of a result of more than 8 MiB.')
  .meta({ id: 'LargeResult' })

const { requestId, status, url, createdAt, attempts, metadata, error } = TaskObject.shape

export const ScrapeCallback = z
  .strictObject({
    requestId,
    status,
    url,
    createdAt,
    completedAt: createdAt,
    attempts,
    metadata,
    result: z
      .union([ResultObject, LargeResult])
      .nullable()
      .describe('Null where the task failed; `error` says why.'),
    error,
  })
  .meta({ id: 'ScrapeCallback' })
