import assert from 'node:assert/strict'
import { ExtractionProblem } from '../../src/http/errors/extraction-problem.ts'
import { Extraction, ExtractJob } from '../../src/wire/scrape/responses.ts'
import type { ApiResponse } from './call-api.ts'
import type { TestAccount } from './test-service.ts'
import { until } from './until.ts'

export const extractPath = '/v1/extract'

/** Fails at once instead of being tried again. */
export const once = { configurations: { retries: { useRetries: false } } }

export const extract = (account: TestAccount, body: unknown): Promise<ApiResponse> =>
  account.call(`POST ${extractPath}`, body)

/** Runs a synchronous extraction that has to succeed. */
export async function extracted(account: TestAccount, body: unknown) {
  const response = await extract(account, body)
  assert.equal(response.statusCode, 200, response.text)
  return Extraction.strict().parse(response.json())
}

/** Submits an asynchronous extraction and returns the id of the job. */
export async function submitExtraction(account: TestAccount, body: object): Promise<string> {
  const response = await extract(account, { processing_mode: 'async', ...body })
  assert.equal(response.statusCode, 202, response.text)
  return response.json().job_id
}

export async function getJob(account: TestAccount, id: string): Promise<ExtractJob> {
  const response = await account.call(`GET ${extractPath}/${id}`)
  assert.equal(response.statusCode, 200, response.text)
  return ExtractJob.strict().parse(response.json())
}

/** Resolves with the job once it has ended. */
export async function untilEnded(account: TestAccount, id: string): Promise<ExtractJob> {
  let job: ExtractJob | undefined
  await until(async () => {
    job = await getJob(account, id)
    return job.completed_at !== null
  })
  return job as ExtractJob
}

/** Asserts that a response is a failed extraction and returns its body. */
export function failureIn(response: ApiResponse) {
  assert.equal(response.statusCode, 422, response.text)
  const body = ExtractionProblem.strict().parse(response.json())
  assert.equal(body.tokens_charged, 0)
  assert.equal(body.error.correlation_id, response.headers['x-request-id'])
  return body
}

/** Place and kind of each fault of a refused extraction: `body.url missing`. */
export const faultsOfExtraction = (response: ApiResponse): string[] =>
  (failureIn(response).detail ?? []).map(({ loc, type }) => `${loc.join('.')} ${type}`)
