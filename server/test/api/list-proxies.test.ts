import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { once } from '../support/extract-calls.ts'
import { closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'

const proxies = [
  // Nothing listens there, so that the first use of it fails.
  {
    url: 'http://canary:canary@127.0.0.1:1025',
    type: 'datacenter',
    country: 'DE',
    label: 'berlin',
  },
  { url: 'socks5://canary-{country}:canary@canary.test:2', type: 'residential', label: 'world' },
]

test('the operator sees the proxies with their health, without addresses', async (t) => {
  const environment = { ...reachingLoopback, TRAWL_PROXIES: JSON.stringify(proxies) }
  const service = await startTestService(t, { environment })
  const headers = { 'x-api-key': service.credentials?.apiKey ?? '' }
  const list = (query = '') => callApi(service.url, `GET /v1/proxies${query}`, { headers })
  const account = await service.createAccount()
  const unused = { cooldown_seconds: 0, score: 1, latency_ms: null, active_uses: 0 }
  const berlin = { label: 'berlin', type: 'datacenter', country: 'DE', any_country: false }
  const world = { label: 'world', type: 'residential', country: null, any_country: true }

  await t.test('before any use they are ready', async () => {
    const answer = await list()

    assert.deepEqual(answer.json(), {
      items: [
        { ...berlin, state: 'ready', ...unused },
        { ...world, state: 'ready', ...unused },
      ],
      page: 1,
      page_size: 100,
      page_count: 1,
    })
    assert.doesNotMatch(answer.text, /canary/)
  })

  await t.test('one that failed cools down', async () => {
    const body = { url: closedPortUrl, proxy: { country: 'DE', type: 'datacenter' }, ...once }
    await account.call('POST /v1/extract', body)

    const [first] = (await list()).json().items

    assert.deepEqual([first.label, first.state], ['berlin', 'cooling_down'])
    assert.ok(first.cooldown_seconds > 0 && first.score < 1)
  })

  await t.test('they are listed page by page', async () => {
    const { items, ...page } = (await list('?page=2&page_size=1')).json()

    assert.deepEqual(page, { page: 2, page_size: 1, page_count: 2 })
    assert.deepEqual(
      items.map(({ label }: { label: string }) => label),
      ['world'],
    )
    assert.deepEqual(faultsIn(await list('?page=0')), ['query.page greater_than_equal'])
  })

  await t.test('no other account sees them', async () => {
    assertFailure(await account.call('GET /v1/proxies'), 'FORBIDDEN')
    assertFailure(await callApi(service.url, 'GET /v1/proxies'), 'UNAUTHORIZED')
  })
})
