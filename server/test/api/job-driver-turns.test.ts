import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { JobView } from '../../src/storage/tables/jobs.ts'
import { startCrawl } from '../support/crawl-calls.ts'
import { startOwnDriver, withoutWorker } from '../support/own-driver.ts'
import { closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, type startTestService, type TestAccount } from '../support/test-service.ts'
import { until } from '../support/until.ts'

/** Looks at jobs of the account that came first stay open until the test ends them. */
async function openScene(t: TestContext, start: typeof startTestService) {
  const service = await start(t, { environment: { ...reachingLoopback, ...withoutWorker } })
  const began: JobView[] = []
  const ends: (() => void)[] = []
  let isOver = false
  // Before the driver's own hook, which waits for all looks.
  t.after(() => {
    isOver = true
    for (const end of ends) end()
  })
  return {
    createAccount: () => service.createAccount(),
    drive: (sweepIntervalMs: number) =>
      startOwnDriver(t, service, {
        sweepIntervalMs,
        advance: async (job) => {
          began.push(job)
          const { promise, resolve } = Promise.withResolvers<void>()
          ends.push(resolve)
          if (job.accountId === began[0]?.accountId && !isOver) await promise
          return { kind: 'running' }
        },
      }),
    began,
    endLook: (index: number) => ends[index]?.(),
  }
}

const crawl = (account: TestAccount) => startCrawl(account, { url: closedPortUrl })
const idsOf = (jobs: readonly JobView[]) => jobs.map(({ id }) => id)

onBothStores((kind, start) => {
  test(`${kind}: a job is looked at at once, however many another account has`, async (t) => {
    const { createAccount, drive, began } = await openScene(t, start)
    const [greedy, other] = [await createAccount(), await createAccount()]
    for (let count = 0; count < 40; count += 1) await crawl(greedy)
    await drive(20)
    await until(() => began.length === 16)

    const ids = [await crawl(other), await crawl(other)]
    await until(() => ids.every((id) => idsOf(began).includes(id)))

    const ofGreedy = began.filter(({ accountId }) => accountId === began[0]?.accountId)
    assert.equal(ofGreedy.length, 16)
  })

  test(`${kind}: a job that changes during a look at it is looked at again afterwards`, async (t) => {
    const { createAccount, drive, began, endLook } = await openScene(t, start)
    const account = await createAccount()
    await crawl(account)
    await crawl(account)
    const driver = await drive(600_000)
    await until(() => began.length === 2)
    const [first, second] = began as [JobView, JobView]

    for (let count = 0; count < 3; count += 1) driver.changed(first)
    endLook(0)
    await until(() => began.length > 2)
    endLook(2)
    driver.changed(second)
    endLook(1)
    await until(() => began.length > 3)

    assert.notEqual(first.id, second.id)
    assert.deepEqual(idsOf(began.slice(2)), [first.id, second.id])
  })
})
