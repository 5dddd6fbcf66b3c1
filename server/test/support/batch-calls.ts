import assert from 'node:assert/strict'
import { AcceptedBatch, BatchJob } from '../../src/wire/batch/responses.ts'
import { type ApiResponse, callApi } from './call-api.ts'
import type { TestAccount } from './test-service.ts'
import { until } from './until.ts'

export const batchPath = '/v1/batch'

/** Submits a batch that has to be accepted. */
export async function submitBatch(account: TestAccount, body: object): Promise<AcceptedBatch> {
  const response = await account.call(`POST ${batchPath}`, body)
  assert.equal(response.statusCode, 202, response.text)
  return AcceptedBatch.strict().parse(response.json())
}

/** The batch; its counts have to add up. */
export async function getBatch(account: TestAccount, id: string, query = ''): Promise<BatchJob> {
  const response = await account.call(`GET ${batchPath}/${id}${query}`)
  assert.equal(response.statusCode, 200, response.text)
  const job = BatchJob.strict().parse(response.json())
  const { completed_urls, failed_urls, cancelled_urls, pending_urls, total_urls } = job
  assert.equal(completed_urls + failed_urls + cancelled_urls + pending_urls, total_urls)
  assert.equal(job.token_summary.tokens_reserved, pending_urls)
  return job
}

export async function untilBatch(
  account: TestAccount,
  id: string,
  condition: (job: BatchJob) => boolean,
  query = '',
): Promise<BatchJob> {
  let job: BatchJob | undefined
  await until(async () => {
    job = await getBatch(account, id, query)
    return condition(job)
  })
  return job as BatchJob
}

/** Resolves with the batch and its first 50 results once it has ended. */
export const untilBatchEnded = (account: TestAccount, id: string): Promise<BatchJob> =>
  untilBatch(account, id, ({ completed_at }) => completed_at !== null, '?page_size=50')

/** Completed, failed, cancelled and pending pages. */
export const countsOf = (job: BatchJob): number[] => [
  job.completed_urls,
  job.failed_urls,
  job.cancelled_urls,
  job.pending_urls,
]

/** All results of a batch as they are streamed. */
export async function streamResults(
  url: string,
  account: TestAccount,
  id: string,
): Promise<{ response: ApiResponse; lines: BatchJob['results'] }> {
  const response = await callApi(url, `GET ${batchPath}/${id}`, {
    headers: { 'x-api-key': account.apiKey, accept: 'application/x-ndjson' },
  })
  const lines = response.text.split('\n')
  assert.equal(lines.pop(), '')
  return { response, lines: lines.map((line) => JSON.parse(line)) }
}
