import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHoldingSite } from '../support/holding-site.ts'
import {
  callbackPath,
  reachingLoopback,
  submitTask,
  untilStatus,
  untilTask,
} from '../support/scrape-calls.ts'
import { serviceEnvironment, startTestService, type TestAccount } from '../support/test-service.ts'
import { createTestStore, tierStoreKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const runningMax = 3
const tasksCount = 24

for (const kind of tierStoreKinds) {
  test(`${kind}: no more tasks of one account are run at once than TRAWL_ACCOUNT_RUNNING_MAX, and others go on`, async (t) => {
    const site = await startHoldingSite(t)
    const { place } = await createTestStore(t, kind)
    const environment = {
      ...serviceEnvironment(place),
      ...reachingLoopback,
      TRAWL_ACCOUNT_RUNNING_MAX: String(runningMax),
    }
    const service = await startTestService(t, { environment })
    // Processes that share a store share the limit.
    if (kind === 'postgres') {
      for (const _ of ['second', 'third']) await startTestService(t, { environment })
    }
    const [many, few] = [await service.createAccount(), await service.createAccount()]
    const ids = await submitMany(many, site.url('/many'))
    await site.untilHeld('/many', runningMax)
    await untilProcessing(many, runningMax)

    const others = await Promise.all(
      Array.from({ length: runningMax }, () => submitTask(few, { url: site.url('/few') })),
    )
    await site.untilHeld('/few', runningMax)
    for (const request of site.heldAt('/few')) request.answer()
    for (const id of others) await untilStatus(few, id, 'completed')
    assert.equal(site.heldAt('/many').length, runningMax, 'the others passed by')

    let runningMost = 0
    for (let answered = 0; answered < tasksCount; answered += 1) {
      const request = await site.untilHeld('/many', answered + 1)
      runningMost = Math.max(runningMost, site.heldAt('/many').length - answered)
      request.answer()
    }
    for (const id of ids) await untilStatus(many, id, 'completed')
    assert.equal(runningMost, runningMax)
  })
}

test('a task that waits for a free slot of its account stays queued, and its timeout does not run', async (t) => {
  const site = await startHoldingSite(t)
  const service = await startTestService(t, {
    environment: { ...reachingLoopback, TRAWL_ACCOUNT_RUNNING_MAX: '1' },
  })
  const account = await service.createAccount()
  const first = await submitTask(account, { url: site.url('/first') })
  const request = await site.untilHeld('/first')
  const second = await submitTask(account, { url: site.url('/second') })

  const waiting = await untilTask(account, second, ({ status }) => status === 'queued')
  request.answer()
  const next = await site.untilHeld('/second')
  next.answer()
  const ended = await untilStatus(account, second, 'completed')

  assert.equal(waiting.startedAt, null)
  const before = await untilStatus(account, first, 'completed')
  assert(Date.parse(ended.startedAt ?? '') >= Date.parse(before.completedAt ?? ''))
})

async function submitMany(account: TestAccount, url: string): Promise<string[]> {
  return await Promise.all(Array.from({ length: tasksCount }, () => submitTask(account, { url })))
}

async function untilProcessing(account: TestAccount, count: number): Promise<void> {
  const listed = async () =>
    (await account.call(`GET ${callbackPath}?status=processing&page_size=100`)).json().items.length
  await until(async () => (await listed()) === count)
}
