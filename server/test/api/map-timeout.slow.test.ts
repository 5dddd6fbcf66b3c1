import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFailure } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { getMap } from '../support/map-calls.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'

test('a map that found nothing in time is 408 and names its job', async (t) => {
  const site = await startHoldingSite(t)
  const service = await startTestService(t, { environment: reachingLoopback })
  const account = await service.createAccount()

  const response = await account.call('POST /v1/map', { url: site.url('/') })

  assertFailure(response, 'REQUEST_TIMEOUT')
  const job = await getMap(account, response.headers['x-job-id'] ?? '')
  assert.deepEqual([job.status, job.error_code, job.links], ['failed', 'TIMEOUT', []])
})
