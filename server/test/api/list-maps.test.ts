import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MapJobList } from '../../src/wire/map/responses.ts'
import { mapped } from '../support/map-calls.ts'
import { closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTrapSite } from '../support/trap-site.ts'

onBothStores((kind, start) => {
  test(`${kind}: maps are listed, newest first, by part of the URL, status and date`, async (t) => {
    const site = await startTrapSite(t, { goodPageCount: 20, slowMs: 20 })
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const first = await mapped(account, { url: site.seedUrl })
    await account.call('POST /v1/map', { url: `${closedPortUrl}/closed%_` })
    const last = await mapped(account, { url: `${site.seedUrl}docs?lang=en` })
    const list = async (query: string) => {
      const response = await account.call(`GET /v1/map/jobs${query}`)
      assert.equal(response.statusCode, 200, response.text)
      return MapJobList.strict().parse(response.json())
    }
    const urls = async (query: string) => (await list(query)).jobs.map(({ url }) => url)

    const { jobs, ...numbers } = await list('')
    assert.deepEqual(numbers, { page: 1, page_size: 100, page_count: 1 })
    assert.deepEqual([jobs[0]?.job_id, jobs[2]?.job_id], [last.id, first.id])
    assert.deepEqual(
      jobs.map(({ links_count, error_code }) => [links_count, error_code]),
      [
        [last.links.length, null],
        [0, 'NETWORK_ERROR'],
        [first.links.length, null],
      ],
    )
    assert.deepEqual(await urls('?url=DOCS'), [`${site.seedUrl}docs?lang=en`])
    assert.deepEqual(await urls('?url=Lang%3DEN'), [`${site.seedUrl}docs?lang=en`])
    assert.deepEqual(await urls('?url=%25_'), [`${closedPortUrl}/closed%_`])
    assert.deepEqual(await urls('?status=failed'), [`${closedPortUrl}/closed%_`])
    assert.deepEqual(await urls('?end_date=2020-01-01'), [])
    assert.deepEqual(await urls('?page=2&page_size=2'), [site.seedUrl])
  })
})
