/** How processes advertise the lanes they work on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import {
  createDesk,
  createQueueStore,
  noLimit,
  renewedLeaseMs,
  shortLeaseMs,
} from './queue-process.ts'

const browserLane = { lane: 'browser', slotsMax: 1, limitOf: noLimit } as const

for (const kind of storeKinds) {
  test(`${kind}: other processes see an advertised lane as soon as it is opened`, async (t) => {
    const store = await createQueueStore(t, kind)
    const [worker, api] = [await store.start(), await store.start()]

    worker.queue.openLane({ ...browserLane, ...createDesk(), lane: 'http' })
    const before = await api.queue.isAdvertisedElsewhere('browser')
    worker.queue.openLane({ ...browserLane, ...createDesk(), isAdvertised: () => true })
    await until(() => api.queue.isAdvertisedElsewhere('browser'))

    assert.equal(before, false)
    assert.equal(await worker.queue.isAdvertisedElsewhere('browser'), false)
    assert.equal(await api.queue.isAdvertisedElsewhere('http'), false)
  })

  test(`${kind}: heartbeats keep a lane advertised for as long as it is worked on`, async (t) => {
    const store = await createQueueStore(t, kind)
    const leaseMs = renewedLeaseMs
    const [worker, api] = [await store.start({ leaseMs }), await store.start({ leaseMs })]
    worker.queue.openLane({ ...browserLane, ...createDesk(), isAdvertised: () => true })
    await until(async () => (await believedUntil()) > 0)
    const firstMs = await believedUntil()

    await until(async () => (await believedUntil()) > firstMs + renewedLeaseMs)

    assert.equal(await api.queue.isAdvertisedElsewhere('browser'), true)

    async function believedUntil(): Promise<number> {
      const rows = await store.db.run(sql<{ until_ms: number }>`select until_ms from lane_workers`)
      return rows[0]?.until_ms ?? 0
    }
  })

  test(`${kind}: the lane of a process that stops claiming is soon no longer advertised`, async (t) => {
    const store = await createQueueStore(t, kind)
    const leaseMs = shortLeaseMs
    const [worker, api] = [await store.start({ leaseMs }), await store.start({ leaseMs })]
    worker.queue.openLane({ ...browserLane, ...createDesk(), isAdvertised: () => true })
    await until(() => api.queue.isAdvertisedElsewhere('browser'))

    worker.queue.stopClaiming()
    await until(async () => !(await api.queue.isAdvertisedElsewhere('browser')))
    await until(async () => (await rows()).length === 0)

    assert.equal(await api.queue.isAdvertisedElsewhere('browser'), false)

    function rows() {
      return store.db.run(sql`select process_id from lane_workers`)
    }
  })
}
