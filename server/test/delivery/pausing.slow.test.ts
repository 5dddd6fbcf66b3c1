import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import {
  type DeliveryScene,
  runConcurrently,
  startDeliveryScene,
} from '../support/delivery-scene.ts'
import { holdRequests, respondWith } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

onBothStores((kind) => {
  test(`${kind}: changing a webhook that has deliveries`, { concurrency: true }, async (t) => {
    const scene = await startDeliveryScene(t, { kind })

    await runConcurrently(t, {
      'a delivery of a paused webhook waits and continues its schedule when it is resumed': (t) =>
        waitsWhilePaused(t, scene),
      'a delivery that was redelivered during the pause continues its schedule as well': (t) =>
        goesOnBesideResend(t, scene),
      'events during a pause are skipped and not sent later': (t) => skipsWhilePaused(t, scene),
      'a new webhook URL applies to pending deliveries too': (t) => movesPending(t, scene),
      'a new webhook URL releases deliveries that were blocked by the old receiver': (t) =>
        movesBlocked(t, scene),
      'a 410 from the old URL does not pause a webhook that has a new one': (t) =>
        outlivesOldUrl(t, scene),
      'deleting a webhook skips its pending deliveries': (t) => deletes(t, scene),
    })
  })
})

/** A webhook whose one delivery failed once and then waits because the webhook was paused. */
async function pausedAfterOneTry(t: TestContext, scene: DeliveryScene) {
  const party = await scene.createClient(t)
  const { receiver, subscribe, scrapeNow, patch, deliveries } = party
  const first = holdRequests()
  receiver.behave(first.behaviour)
  const { id: webhookId } = await subscribe()
  await scrapeNow()
  await receiver.arrivals(1)
  const [{ id: deliveryId } = { id: '' }] = await deliveries(webhookId)
  await patch(webhookId, { is_active: false })
  first.release(500)
  await untilLeftAlone(scene, deliveryId)
  return { ...party, webhookId, deliveryId }
}

/** Resolves when a delivery is no longer in the queue. */
async function untilLeftAlone({ service }: DeliveryScene, deliveryId: string): Promise<void> {
  const { db } = await service.openBeside()
  const entries = sql<{ id: string }>`select id from queue_entries where id = ${deliveryId}`
  await until(async () => (await db.run(entries)).length === 0)
}

async function waitsWhilePaused(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { receiver, webhookId, patch, deliveries, untilDeliveries } = await pausedAfterOneTry(
    t,
    scene,
  )
  const [waiting] = await deliveries(webhookId)
  receiver.behave(respondWith(200))

  await patch(webhookId, { is_active: true })

  const [listed] = await untilDeliveries(webhookId, ([one]) => one?.status === 'delivered')
  assert.equal(waiting?.status, 'pending')
  assert.equal(waiting?.attempt_number, 1)
  assert.equal(listed?.attempt_number, 2)
  assert.equal(receiver.received.length, 2)
}

async function goesOnBesideResend(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { account, receiver, webhookId, deliveryId, patch } = await pausedAfterOneTry(t, scene)
  const both = holdRequests()
  receiver.behave(both.behaviour)

  await account.call(`POST /v1/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`)
  await receiver.arrivals(2)
  await patch(webhookId, { is_active: true })

  const arrived = await receiver.arrivals(3)
  assert.equal(new Set(arrived.map(({ headers }) => headers['webhook-id'])).size, 1)
  both.release(200)
}

async function skipsWhilePaused(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { receiver, subscribe, scrapeNow, patch, untilDeliveries } = await scene.createClient(t)
  const { id: webhookId } = await subscribe()
  await patch(webhookId, { is_active: false })
  const missed = await scrapeNow()
  await untilDeliveries(webhookId, ([one]) => one?.status === 'skipped')

  await patch(webhookId, { is_active: true })
  const heard = await scrapeNow()

  const listed = await untilDeliveries(webhookId, ([one]) => one?.status === 'delivered')
  assert.deepEqual(
    receiver.received.map(({ json }) => json.data.job_id),
    [heard],
  )
  assert.deepEqual(
    listed.map(({ job_id, status, attempt_number }) => [job_id, status, attempt_number]),
    [
      [heard, 'delivered', 1],
      [missed, 'skipped', 0],
    ],
  )
}

async function movesPending(t: TestContext, scene: DeliveryScene): Promise<void> {
  const [old, next] = [await scene.createClient(t), await scene.createClient(t)]
  const first = holdRequests()
  old.receiver.behave(first.behaviour)
  const { id: webhookId } = await old.subscribe()
  await old.scrapeNow()
  await old.receiver.arrivals(1)

  await old.patch(webhookId, { url: `${next.receiver.url}/moved` })
  first.release(503)

  const [arrived] = await next.receiver.arrivals(1, '/moved')
  const [listed] = await old.untilDeliveries(webhookId, ([one]) => one?.status === 'delivered')
  assert.equal(arrived?.headers['webhook-id'], old.receiver.received[0]?.headers['webhook-id'])
  assert.equal(listed?.attempt_number, 2)
  assert.equal(old.receiver.received.length, 1)
}

async function movesBlocked(t: TestContext, scene: DeliveryScene): Promise<void> {
  const [old, next] = [await scene.createClient(t), await scene.createClient(t)]
  const stuck = holdRequests()
  old.receiver.behave(stuck.behaviour)
  const { id: webhookId } = await old.subscribe()
  await Promise.all(Array.from({ length: 25 }, () => old.scrapeNow()))
  await old.receiver.arrivals(10)
  await old.untilDeliveries(webhookId, ({ length }) => length === 25)

  await old.patch(webhookId, { url: `${next.receiver.url}/moved` })

  await next.receiver.arrivals(15, '/moved')
  assert.equal(stuck.waiting.length, 10)
  stuck.release(200)
}

async function outlivesOldUrl(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { account, receiver, subscribe, scrapeNow, patch, untilDeliveries } =
    await scene.createClient(t)
  const first = holdRequests()
  receiver.behave(first.behaviour)
  const { id: webhookId } = await subscribe()
  await scrapeNow()
  await receiver.arrivals(1)

  await patch(webhookId, { url: `${receiver.url}/moved` })
  first.release(410)

  await untilDeliveries(webhookId, ([one]) => one?.status === 'failed')
  assert.equal((await account.call(`GET /v1/webhooks/${webhookId}`)).json().is_active, true)
}

async function deletes(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { account, receiver, subscribe, scrapeNow, deliveries } = await scene.createClient(t)
  const first = holdRequests()
  receiver.behave(first.behaviour)
  const { id: webhookId } = await subscribe()
  await scrapeNow()
  await receiver.arrivals(1)
  const [delivery] = await deliveries(webhookId)

  await account.call(`DELETE /v1/webhooks/${webhookId}`)
  first.release(500)

  const { db } = await scene.service.openBeside()
  const rows = await db.run(sql<{ state: string }>`
    select state from deliveries where webhook_id = ${webhookId}`)
  assert.deepEqual(rows, [{ state: 'skipped' }])
  await untilLeftAlone(scene, delivery?.id ?? '')
  await scrapeNow()
  assert.equal(receiver.received.length, 1)
}
