import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, tierStoreKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import { apiKey, KillableService, killableEnvironment } from './ledger/killable-service.ts'

for (const kind of tierStoreKinds) {
  test(`${kind}: a page whose process died is not fetched again if its batch was cancelled meanwhile`, async (t) => {
    const site = await startHoldingSite(t)
    const { place } = await createTestStore(t, kind)
    const environment = { ...serviceEnvironment(place), ...killableEnvironment }
    await using service = new KillableService({ ...environment, TRAWL_LEASE: '10s' })
    await service.start()
    const call = async (request: string, body?: object) =>
      (await callApi(service.url, request, { headers: { 'x-api-key': apiKey }, body })).json()
    const { job_id } = await call('POST /v1/batch', { urls: [site.url('/')] })
    await site.untilHeld('/')
    await service.kill()
    await service.start()

    const { in_flight_urls } = await call(`DELETE /v1/batch/${job_id}`)
    let job = await call(`GET /v1/batch/${job_id}`)
    assert.deepEqual([in_flight_urls, job.status, job.pending_urls], [1, 'cancelled', 1])
    await until(async () => {
      job = await call(`GET /v1/batch/${job_id}`)
      return job.completed_at !== null
    })

    assert.deepEqual([job.cancelled_urls, job.pending_urls], [1, 0])
    assert.equal(job.results[0].error_code, 'CANCELLED')
    assert.equal(site.heldAt('/').length, 1)
  })
}
