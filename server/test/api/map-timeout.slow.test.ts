import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { mapMsMax } from '../../src/jobs/map/map-site.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { getMap } from '../support/map-calls.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'

test('a map that found nothing in time is 408 and names its job', async (t) => {
  shortenTime(t)
  const site = await startHoldingSite(t)
  const service = await startTestService(t, { environment: reachingLoopback })
  const account = await service.createAccount()

  const response = await account.call('POST /v1/map', { url: site.url('/') })

  assertFailure(response, 'REQUEST_TIMEOUT')
  const job = await getMap(account, response.headers['x-job-id'] ?? '')
  assert.deepEqual([job.status, job.error_code, job.links], ['failed', 'TIMEOUT', []])
})

/** The minute that a map has becomes a second, and nothing else is shorter. */
function shortenTime(t: TestContext): void {
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  t.mock.method(AbortSignal, 'timeout', (ms: number) => timeout(ms === mapMsMax ? 1_000 : ms))
}
