import { z } from 'zod'
import { jobKindNames } from '../../domain/job/job.ts'
import { ExtractionErrorCode, TaskStatus } from '../named-enums.ts'
import { cappedPageFields } from '../pagination.ts'
import { ExtractionData, fetchedHowFields } from '../scrape/responses.ts'

export const time = z.string().describe('ISO 8601, UTC.')
export const jobId = z.uuid().describe('The id of the job.')
export const statusUrl = z.string().describe('Where the job can be followed.')

/** One page of a job, finished or not. */
export const JobResult = z.object({
  url: z.string(),
  status: TaskStatus,
  error_code: ExtractionErrorCode.nullable(),
  error_message: z.string().nullable(),
  error_reason: z.string().nullable().describe('The fine code of the failure.'),
  task_id: z.uuid().describe('The page as a single task: `GET /v1/extract/{task_id}`.'),
  data: ExtractionData.nullable(),
  metadata: z
    .object({
      http_status: z.int(),
      duration_ms: z.int(),
      retry_count: z.int(),
      tokens_charged: z.int(),
      ...fetchedHowFields,
      render_js: z.boolean().optional(),
    })
    .meta({ id: 'JobResultMetadata' })
    .nullable(),
})

export const TokenSummary = z
  .object({
    tokens_charged_total: z.int(),
    tokens_reserved: z.int().describe('One for each page that is not finished.'),
  })
  .meta({ id: 'TokenSummary' })

/** What batches, crawls and maps have in common. */
export const JobObject = z
  .object({
    job_id: jobId,
    kind: z.enum(jobKindNames),
    status: TaskStatus,
    url: z.string().nullable().describe('Where a crawl or a map began; null for a batch.'),
    counts: z
      .object({
        total: z.int().describe('The pages chosen so far; the four counts add up to it.'),
        completed: z.int(),
        failed: z.int(),
        cancelled: z.int(),
        pending: z.int(),
      })
      .meta({ id: 'JobCounts' }),
    links_count: z.int().nullable().describe('How many URLs a map has found; null for others.'),
    created_at: time,
    completed_at: time.nullable().describe('Null until no page of the job runs any more.'),
    status_url: z.string().describe('The job with its results, as its own kind shows it.'),
    tasks_url: z.string().describe('The tasks of its pages.'),
  })
  .meta({ id: 'Job' })

export const JobObjectList = z
  .object({ jobs: z.array(JobObject), ...cappedPageFields })
  .meta({ id: 'JobList' })
