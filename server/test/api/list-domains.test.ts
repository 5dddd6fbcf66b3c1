import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getAccount } from '../../src/accounts/accounts.ts'
import { noActivity } from '../../src/domain/task/activity.ts'
import { utcDayOf } from '../../src/domain/utc-time.ts'
import { WatchedDatabase } from '../../src/storage/outages/watched-database.ts'
import { putHost } from '../../src/storage/tables/activity-rollups.ts'
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

  test(`${kind}: rows of many hosts, days and processes are added up a hundred at a time`, async (t) => {
    const service = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const account = await service.createAccount()
    const { db } = await service.openBeside()
    const { id: accountId } = await getAccount(db, account.username)
    const today = utcDayOf(db.nowMs())
    const hosts = Array.from({ length: 70 }, (_, index) => `${index}.example`)
    await db.transaction(
      hosts.flatMap((host) =>
        [today - 1, today].flatMap((utcDay) =>
          ['one', 'other'].map((segment) =>
            putHost({ accountId, utcDay, host, segment, activity: { ...noActivity(), failed: 1 } }),
          ),
        ),
      ),
    )
    const run = t.mock.method(WatchedDatabase.prototype, 'run')

    const domains = await domainsOf(account)

    const read = await Promise.all(run.mock.calls.map(({ result }) => result))
    assert.equal(Math.max(...read.map((rows) => rows?.length ?? 0)), 100)
    assert.deepEqual(domains.map(({ host }) => host).toSorted(), hosts.toSorted())
    for (const { failed, days } of domains) {
      assert.deepEqual([failed, ...days.map((day) => day.failed)], [4, 2, 2])
    }
  })
})
