import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { mapped } from '../support/map-calls.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'
import { startTrapSite } from '../support/trap-site.ts'

test('a map is read by the second spelling of its path, too', async (t) => {
  const site = await startTrapSite(t, { goodPageCount: 20, slowMs: 20 })
  const account = await (
    await startTestService(t, { environment: reachingLoopback })
  ).createAccount()
  const { id } = await mapped(account, { url: site.seedUrl })

  const first = await account.call(`GET /v1/map/${id}`)
  const second = await account.call(`GET /v1/map/jobs/${id}`)

  assert.equal(second.text, first.text)
  const unknown = '01890000-0000-7000-8000-000000000000'
  assertFailure(await account.call(`GET /v1/map/jobs/${unknown}`), 'NOT_FOUND')
  assert.deepEqual(faultsIn(await account.call('GET /v1/map/jobs/x')), ['path.job_id uuid_parsing'])
})
