import { toJobConfig } from '../../domain/job/job-config.ts'
import { planExtraction } from '../../domain/scrape/plan-extraction.ts'
import { BatchRequest, shownInvalidUrl } from '../../wire/batch/requests.ts'
import {
  AcceptedBatch,
  BatchJob,
  BatchJobList,
  CancelledBatch,
} from '../../wire/batch/responses.ts'
import { batchHead, batchItem } from '../../wire/batch/to-responses.ts'
import { batchExamples } from '../../wire/jobs/examples.ts'
import { InvalidRequest } from '../errors/problem.ts'
import { explainKeyReuse, IdempotencyHeader, idempotencyOf } from '../requests/idempotency-key.ts'
import { JobsQuery } from '../requests/jobs-query.ts'
import { singleHeaders } from '../requests/scrape-request.ts'
import { JobPath } from '../requests/task-ids.ts'
import { acceptedResponse } from '../responses/accepted.ts'
import { listOfJobs } from '../responses/job-lists.ts'
import { getJobFields, jobResponse, ndjsonType } from '../responses/jobs.ts'
import { defineRoute, type Route } from '../route.ts'

const createBatch = defineRoute('batch', {
  operationId: 'createBatch',
  request: 'POST /v1/batch',
  mayTakeLong: true,
  summary: 'Extract the content of many pages',
  description:
    'Accepts all pages or none. Each is a task of its own: `GET /v1/extract/{task_id}` serves it too.',
  headers: IdempotencyHeader,
  body: BatchRequest,
  bodyBytesMax: 5 * 2 ** 20,
  response: {
    status: 202,
    description: 'The job is accepted.',
    body: AcceptedBatch,
    headers: ['Location', 'X-Job-Id', 'Idempotency-Replayed'],
  },
  newWork: 'task',
  failures: ['URL_NOT_ALLOWED', 'NO_PROXY_AVAILABLE', 'BROWSER_UNAVAILABLE', 'CONFLICT'],
  examples: batchExamples.create,

  async handle({ account, body, headers, raw }, { batches }) {
    const { valid, invalid } = await batches.sortUrls(account.id, body.urls)
    if (valid.length === 0 || (invalid.length > 0 && !body.ignore_invalid_urls)) {
      throw new InvalidRequest(
        invalid.slice(0, faultsMax).map(({ index }) => ({
          loc: ['body', 'urls', String(index)],
          msg: 'Input should be an absolute http or https URL that the service may fetch',
          type: 'url_parsing',
        })),
      )
    }
    const invalidUrls = invalid.map(({ url }) => shownInvalidUrl(url))
    const forwardedHeaders = body.configurations.keep_headers ? singleHeaders(raw.headers) : {}
    const { id, isReplay } = await batches
      .submit(account.id, {
        urls: valid,
        invalidUrls,
        config: toJobConfig(body),
        callbackUrl: body.callback_url ?? null,
        maxAgeMs: body.max_age,
        idempotency: idempotencyOf(headers['idempotency-key'], { batch: raw.body }),
        requestFor: (url) => ({ ...planExtraction(url, body, 'async'), forwardedHeaders }),
      })
      .catch(explainKeyReuse)
    const location = `/v1/batch/${id}`
    const accepted = {
      job_id: id,
      status: 'queued',
      status_url: location,
      accepted_urls: valid.length,
      invalid_urls: invalidUrls,
      estimated_tokens: valid.length,
    }
    return acceptedResponse(accepted, { location, jobId: id, isReplay })
  },
})

const faultsMax = 100

const listBatches = defineRoute('batch', {
  operationId: 'listBatches',
  request: 'GET /v1/batch/jobs',
  takesTurns: true,
  summary: 'List batches, newest first',
  query: JobsQuery,
  response: { description: 'A page of them.', body: BatchJobList },
  examples: batchExamples.list,

  handle: (request, { batches }) => listOfJobs(batches.list, request, batchItem),
})

const getBatch = defineRoute('batch', {
  operationId: 'getBatch',
  request: 'GET /v1/batch/:job_id',
  mayTakeLong: true,
  aliases: ['/v1/batch/jobs/:job_id'],
  summary: 'Get a batch with a page of its results',
  ...getJobFields,
  response: {
    description: 'The batch, or its results.',
    body: BatchJob,
    alsoAs: [ndjsonType],
  },
  failures: ['NOT_FOUND'],
  examples: batchExamples.get,

  async handle({ account, params, query, headers, disconnected }, { batches }) {
    const job = await batches.get(account.id, params.job_id)
    return jobResponse(batches, { job, head: batchHead(job) }, { query, headers, disconnected })
  },
})

const cancelBatch = defineRoute('batch', {
  operationId: 'cancelBatch',
  request: 'DELETE /v1/batch/:job_id',
  mayTakeLong: true,
  summary: 'Cancel a batch',
  description: 'Nothing new starts; pages that are being fetched end.',
  params: JobPath,
  response: { status: 202, description: 'The batch is cancelled.', body: CancelledBatch },
  failures: ['NOT_FOUND', 'CONFLICT'],
  examples: batchExamples.cancel,

  async handle({ account, params }, { batches }) {
    const { id, counts } = await batches.cancel(account.id, params.job_id)
    return {
      job_id: id,
      status: 'cancelled' as const,
      status_url: `/v1/batch/${id}`,
      in_flight_urls: counts.open,
    }
  },
})

const retryFailedOfBatch = defineRoute('batch', {
  operationId: 'retryFailedOfBatch',
  request: 'POST /v1/batch/:job_id/retry-failed',
  mayTakeLong: true,
  summary: 'Run the failed pages of a batch again',
  description: 'The same job is processing again, and ends with a new event.',
  params: JobPath,
  response: { status: 202, description: 'The failed pages are queued.', body: AcceptedBatch },
  newWork: 'task',
  failures: ['NOT_FOUND', 'CONFLICT', 'EXPIRED', 'BROWSER_UNAVAILABLE'],
  examples: batchExamples.retryFailed,

  async handle({ account, params }, { batches }) {
    const { id, counts, invalidUrls } = await batches.retryFailed(account.id, params.job_id)
    return {
      job_id: id,
      status: 'processing' as const,
      status_url: `/v1/batch/${id}`,
      accepted_urls: counts.total,
      invalid_urls: invalidUrls,
      estimated_tokens: counts.open,
    }
  },
})

export const batchRoutes: readonly Route[] = [
  createBatch,
  listBatches,
  getBatch,
  cancelBatch,
  retryFailedOfBatch,
]
