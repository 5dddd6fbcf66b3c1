import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { startDeliveryScene } from '../support/delivery-scene.ts'
import { holdRequests, respondWith } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

onBothStores((kind) => {
  test(`${kind}: a delivery that a process was sending when it died is sent again with the same id`, async (t) => {
    const scene = await startDeliveryScene(t, { kind, environment: { TRAWL_LEASE: '1s' } })
    const { receiver, scrape, untilCallback } = await scene.createClient(t)
    const { db } = await scene.service.openBeside()
    const first = holdRequests()
    receiver.behave(first.behaviour)
    const id = await scrape()
    const [sent] = await receiver.arrivals(1)
    receiver.behave(respondWith(200))

    await db.run(sql`
      update queue_entries set leased_by = 'a process that died', leased_until_ms = 0
      where lane = 'delivery'`)

    const [, again] = await receiver.arrivals(2)
    const { delivery } = await untilCallback(id, ({ status }) => status === 'delivered')
    assert.equal(again?.headers['webhook-id'], sent?.headers['webhook-id'])
    assert.deepEqual(again?.body, sent?.body)
    // The interrupted attempt is not recorded.
    assert.equal(delivery.attempts, 1)
    first.release(500)
    assert.equal(receiver.received.length, 2)
  })
})
