import { toJobConfig } from '../../../domain/job/job-config.ts'
import { planExtraction } from '../../../domain/scrape/plan-extraction.ts'
import { BatchRequest, shownInvalidUrl } from '../../../wire/batch/requests.ts'
import { AcceptedBatch } from '../../../wire/batch/responses.ts'
import { batchExamples } from '../../../wire/jobs/examples.ts'
import { InvalidRequest } from '../../errors/problem.ts'
import {
  explainKeyReuse,
  IdempotencyHeader,
  idempotencyOf,
} from '../../requests/idempotency-key.ts'
import { singleHeaders } from '../../requests/scrape-request.ts'
import { defineRoute, RouteResponse } from '../../route.ts'

export const createBatch = defineRoute({
  operationId: 'createBatch',
  method: 'POST',
  path: '/v1/batch',
  family: 'batch',
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
    return new RouteResponse(
      {
        job_id: id,
        status: 'queued',
        status_url: location,
        accepted_urls: valid.length,
        invalid_urls: invalidUrls,
        estimated_tokens: valid.length,
      },
      {
        status: 202,
        headers: {
          location,
          'x-job-id': id,
          ...(isReplay && { 'idempotency-replayed': 'true' }),
        },
      },
    )
  },
})

const faultsMax = 100
