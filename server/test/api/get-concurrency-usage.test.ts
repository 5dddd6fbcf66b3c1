import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback, scrapeNow, submitTask, untilStatus } from '../support/scrape-calls.ts'
import {
  onBothStores,
  serviceEnvironment,
  startTestService,
  type TestAccount,
} from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

async function getUsage(account: TestAccount): Promise<[inUse: number, limit: number]> {
  const answer = await account.call('GET /v1/usage/concurrency')
  assert.equal(answer.statusCode, 200, answer.text)
  const { work_concurrency_in_use, work_concurrency_limit, ...rest } = answer.json()
  assert.deepEqual(rest, {})
  return [work_concurrency_in_use, work_concurrency_limit]
}

const untilLimit = (account: TestAccount, limit: number) =>
  until(async () => (await getUsage(account))[1] === limit)

onBothStores((kind, start) => {
  test(`${kind}: the running tasks of an account are counted, not those of others`, async (t) => {
    const site = await startHoldingSite(t)
    const { createAccount } = await start(t, {
      environment: { ...reachingLoopback, TRAWL_HTTP_CONCURRENCY: '3' },
    })
    const [one, other] = [await createAccount(), await createAccount()]
    await untilLimit(one, 3)
    const ids = [
      await submitTask(one, { url: site.url('/') }),
      await submitTask(one, { url: site.url('/') }),
    ]
    const now = scrapeNow(other, { url: site.url('/') })
    await site.untilHeld('/', 3)
    await submitTask(one, { url: site.url('/waiting') })

    const during = [await getUsage(one), await getUsage(other)]
    for (const request of site.heldAt('/')) request.answer()
    ;(await site.untilHeld('/waiting')).answer()
    await now
    for (const id of ids) await untilStatus(one, id, 'completed')
    await until(async () => (await getUsage(one))[0] === 0)

    assert.deepEqual(during, [
      [2, 3],
      [1, 3],
    ])
  })

  test(`${kind}: the limit is TRAWL_ACCOUNT_RUNNING_MAX where it is set`, async (t) => {
    const { createAccount } = await start(t, { environment: { TRAWL_ACCOUNT_RUNNING_MAX: '5' } })

    assert.deepEqual(await getUsage(await createAccount()), [0, 5])
  })

  test(`${kind}: a process without workers beside it has no slots`, async (t) => {
    const { createAccount } = await start(t, { environment: { TRAWL_ROLES: 'api' } })

    assert.deepEqual(await getUsage(await createAccount()), [0, 0])
  })
})

test('postgres: the limit adds up the slots of all workers and loses those of one that stopped', async (t) => {
  const { place } = await createTestStore(t, 'postgres')
  const startWith = (environment: Record<string, string>) =>
    startTestService(t, { environment: { ...serviceEnvironment(place), ...environment } })
  const api = await startWith({ TRAWL_ROLES: 'api' })
  const account = await api.createAccount()
  const worker = { TRAWL_ROLES: 'worker', TRAWL_LEASE: '1s' }

  await startWith({ ...worker, TRAWL_HTTP_CONCURRENCY: '7' })
  const second = await startWith({ ...worker, TRAWL_HTTP_CONCURRENCY: '11' })
  await untilLimit(account, 18)
  await second[Symbol.asyncDispose]()
  await untilLimit(account, 7)
})
