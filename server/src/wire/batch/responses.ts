import { z } from 'zod'
import { JobConfig } from '../../domain/job/job-config.ts'
import { JobResult, jobId, statusUrl, TokenSummary, time } from '../jobs/responses.ts'
import { TaskStatus } from '../named-enums.ts'
import { pageFields } from '../pagination.ts'
import { TaskDelivery } from '../scrape/responses.ts'

export const AcceptedBatch = z
  .object({
    job_id: jobId,
    status: z.enum(['queued', 'processing']),
    status_url: statusUrl,
    accepted_urls: z.int(),
    invalid_urls: z.array(z.string()).describe('Those that are not fetched, in order.'),
    estimated_tokens: z.int(),
  })
  .meta({ id: 'AcceptedBatch' })

export type AcceptedBatch = z.output<typeof AcceptedBatch>

const BatchResult = JobResult.extend({
  input_index: z.int().describe('The place of the URL in the request, from 0.'),
}).meta({ id: 'BatchResult' })

const batchCounts = {
  total_urls: z.int().describe('The accepted ones; the four counts add up to it.'),
  completed_urls: z.int(),
  failed_urls: z.int(),
  cancelled_urls: z.int(),
  pending_urls: z.int(),
}

export const BatchJob = z
  .object({
    job_id: jobId,
    status: TaskStatus,
    batch_config: JobConfig,
    token_summary: TokenSummary,
    ...batchCounts,
    invalid_urls: z.array(z.string()),
    created_at: time,
    completed_at: time.nullable(),
    delivery: TaskDelivery.nullable().describe('How the callback stands; null without one.'),
    results: z.array(BatchResult).describe('In the order of the request.'),
  })
  .meta({ id: 'BatchJob' })

export type BatchJob = z.output<typeof BatchJob>

export const CancelledBatch = z
  .object({
    job_id: jobId,
    status: z.literal('cancelled'),
    status_url: statusUrl,
    in_flight_urls: z.int().describe('Those that were running; they end.'),
  })
  .meta({ id: 'CancelledBatch' })

const BatchJobItem = z
  .object({
    job_id: jobId,
    status: TaskStatus,
    accepted_urls: z.int(),
    completed_urls: z.int(),
    failed_urls: z.int(),
    config: JobConfig,
    created_at: time,
    completed_at: time.nullable(),
  })
  .meta({ id: 'BatchJobItem' })

export const BatchJobList = z
  .object({
    jobs: z.array(BatchJobItem),
    ...pageFields,
  })
  .meta({ id: 'BatchJobList' })
