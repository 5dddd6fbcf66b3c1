import assert from 'node:assert/strict'
import type { TestAccount } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'
import type { SharingSite } from './sharing-site.ts'

export type SharingAccount = Pick<TestAccount, 'call' | 'apiKey'>

/** A service with two accounts: one takes all it can of something shared, the other asks for a little. */
export interface SharingScene {
  serviceUrl: string
  greedy: SharingAccount
  other: SharingAccount
  site: SharingSite
  /** How often the other asks. */
  asksMax: number
}

/** Settings of the service, small enough that one account can take everything. */
export const sharingEnvironment = {
  TRAWL_EGRESS_ALLOW: '127.0.0.0/8',
  TRAWL_CONNECTIONS_MAX: '400',
  TRAWL_BROWSER_CONCURRENCY: '2',
}

/** Calls that must succeed. */
export async function callOk(account: SharingAccount, request: string, body?: unknown) {
  const response = await account.call(request, body)
  assert.ok(response.statusCode < 300, `${request}: ${response.text.slice(0, 300)}`)
  return response
}

const once = { configurations: { retries: { useRetries: false } } }

export const extract = (account: SharingAccount, url: string, more: object = {}) =>
  callOk(account, 'POST /v1/extract', { url, formats: ['text'], ...once, ...more })

/** Resolves with its id. */
export async function submitBatch(account: SharingAccount, urls: string[], more: object = {}) {
  const body = { urls, formats: ['markdown'], ...once, ...more }
  const response = await callOk(account, 'POST /v1/batch', body)
  return String(response.json().job_id)
}

/** Resolves with the ids of its tasks. */
export async function untilBatchEnded(account: SharingAccount, id: string): Promise<string[]> {
  let ids: string[] = []
  await until(async () => {
    const { completed_at, results } = (
      await callOk(account, `GET /v1/batch/${id}?contents=none&page_size=50`)
    ).json()
    ids = results.map((result: { task_id: string }) => result.task_id)
    return completed_at !== null
  })
  return ids
}

/** Pages that were scraped, and whose results nobody has read yet; resolves with their ids. */
export async function makeResults(
  account: SharingAccount,
  site: SharingSite,
  count: number,
): Promise<string[]> {
  const id = await submitBatch(account, Array(count).fill(site.url('article')))
  return await untilBatchEnded(account, id)
}

/** Hundreds of rows for little: the pages of a batch that is cancelled. */
export async function fillHistory(
  account: SharingAccount,
  site: SharingSite,
  count = 100,
): Promise<void> {
  const id = await submitBatch(account, Array(count).fill(site.url('small')))
  // It is refused where all of them have ended already.
  await account.call(`DELETE /v1/batch/${id}`)
}
