import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { until } from '../support/until.ts'

interface Domain {
  host: string
  completed: number
  failed: number
  blocked: number
  codes: Record<string, number>
  days: { date: string; completed: number; failed: number }[]
}

const domainsOf = async (account: TestAccount, query = ''): Promise<Domain[]> =>
  (await account.call(`GET /v1/domains${query}`)).json().items

onBothStores((kind, start) => {
  test(`${kind}: hosts are listed with what their tasks came to, for the account alone`, async (t) => {
    const site = await startTestSite(t)
    const { createAccount } = await start(t, { environment: reachingLoopback })
    const [ada, bob] = [await createAccount(), await createAccount()]
    const once = { configurations: { retries: { useRetries: false } } }
    const { hostname } = new URL(site.url('/'))
    await ada.call('POST /v1/extract', { url: site.url('/') })
    await ada.call('POST /v1/extract', { url: site.url('/status/403'), ...once })
    await ada.call('POST /v1/extract', { url: closedPortUrl, ...once })
    const ended = async () =>
      (await domainsOf(ada)).reduce((sum, { completed, failed }) => sum + completed + failed, 0)
    await until(async () => (await ended()) === 3)

    const domains = await domainsOf(ada)

    const busiest = domains.find(({ host }) => host === hostname)
    assert.deepEqual([busiest?.completed, busiest?.blocked], [2, 1])
    const failed = domains.find(({ host }) => host === new URL(closedPortUrl).hostname)
    assert.equal(failed?.codes['TARGET_UNREACHABLE'], 1)
    assert.match(busiest?.days[0]?.date ?? '', /T00:00:00\.000Z$/)
    assert.deepEqual(await domainsOf(bob), [])
    assert.deepEqual(await domainsOf(ada, '?page=2'), [])
    assert.deepEqual(await domainsOf(ada, '?start_date=2026-03-01&end_date=2026-03-02'), [])
  })
})
