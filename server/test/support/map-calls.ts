import assert from 'node:assert/strict'
import { MapJob, SiteMap } from '../../src/wire/map/responses.ts'
import type { TestAccount } from './test-service.ts'

/** Maps a site that has to be reached, and returns its body and the id of its job. */
export async function mapped(account: TestAccount, body: object) {
  const response = await account.call('POST /v1/map', body)
  assert.equal(response.statusCode, 200, response.text)
  return { id: response.headers['x-job-id'] ?? '', ...SiteMap.strict().parse(response.json()) }
}

export async function getMap(account: TestAccount, id: string) {
  const response = await account.call(`GET /v1/map/${id}`)
  assert.equal(response.statusCode, 200, response.text)
  return MapJob.strict().parse(response.json())
}
