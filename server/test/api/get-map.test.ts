import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { getMap, mapped } from '../support/map-calls.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTrapSite } from '../support/trap-site.ts'

onBothStores((kind, start) => {
  test(`${kind}: a map is read by its id`, async (t) => {
    const site = await startTrapSite(t, { goodPageCount: 20, slowMs: 20 })
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const made = await mapped(account, {
      url: site.seedUrl,
      search: '/',
      ignore_query_parameters: false,
    })

    await t.test('it has what was asked for and the links that were found', async () => {
      const { links, duration_ms, created_at, completed_at, ...others } = await getMap(
        account,
        made.id,
      )

      assert.deepEqual(links, made.links)
      assert.deepEqual(others, {
        job_id: made.id,
        url: site.seedUrl,
        search: '/',
        status: 'completed',
        include_subdomains: false,
        ignore_query_parameters: false,
        links_count: made.links.length,
        error_code: null,
        error_message: null,
        tokens_charged: 1,
      })
      assert.equal(duration_ms, made.metadata.duration_ms)
      assert.ok(completed_at && created_at <= completed_at)
    })

    await t.test('an unknown id is 404, one that is no UUID 422, no credentials 401', async () => {
      const unknown = '01890000-0000-7000-8000-000000000000'

      assertFailure(await account.call(`GET /v1/map/${unknown}`), 'NOT_FOUND')
      assertFailure(await account.call(`GET /v1/crawl/${made.id}`), 'NOT_FOUND')
      assert.deepEqual(faultsIn(await account.call('GET /v1/map/x')), ['path.job_id uuid_parsing'])
      assertFailure(await callApi(service.url, `GET /v1/map/${made.id}`), 'UNAUTHORIZED')
    })
  })
})
