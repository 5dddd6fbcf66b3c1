import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  type DeliveryClient,
  type DeliveryScene,
  farSchedule,
  runConcurrently,
  startDeliveryScene,
} from '../support/delivery-scene.ts'
import { type Behaviour, holdRequests, respondWith } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

onBothStores((kind) => {
  test(`${kind}: several accounts that deliver to one receiver`, {
    concurrency: true,
  }, async (t) => {
    const environment = { TRAWL_DELIVERY_SCHEDULE: farSchedule }
    const scene = await startDeliveryScene(t, { kind, environment })

    await runConcurrently(t, {
      'hanging deliveries of one account do not delay those of another': (t) =>
        passesHanging(t, scene),
      'failures of one account do not slow down the deliveries of another': (t) =>
        passesFailing(t, scene),
      'a receiver gets at most 30 deliveries at once over all accounts': (t) =>
        sendsThirtyAtOnce(t, scene),
    })
  })
})

async function passesHanging(t: TestContext, scene: DeliveryScene): Promise<void> {
  const [hanging, other] = [await scene.createClient(t), await scene.createClient(t)]
  const { receiver } = hanging
  const held = holdRequests()
  receiver.behave(byPath({ '/hanging': held.behaviour, '/other': respondWith(200) }))
  await deliver(hanging, 40, `${receiver.url}/hanging`)
  await receiver.arrivals(10, '/hanging')

  await deliver(other, 12, `${receiver.url}/other`)

  await receiver.arrivals(12, '/other')
  assert(held.waiting.length < 40, 'some of the hanging ones have not been sent yet')
}

async function passesFailing(t: TestContext, scene: DeliveryScene): Promise<void> {
  const [failing, other] = [await scene.createClient(t), await scene.createClient(t)]
  const { receiver } = failing
  const held = holdRequests()
  receiver.behave(byPath({ '/failing': respondWith(500), '/other': held.behaviour }))
  await deliver(failing, 20, `${receiver.url}/failing`)
  await receiver.arrivals(20, '/failing')

  await deliver(other, 10, `${receiver.url}/other`)

  await receiver.arrivals(10, '/other')
  assert.equal(held.waiting.length, 10)
}

async function sendsThirtyAtOnce(t: TestContext, scene: DeliveryScene): Promise<void> {
  const clients = await Promise.all([1, 2, 3, 4].map(() => scene.createClient(t)))
  const { receiver } = clients[0] ?? assert.fail()
  const held = holdRequests()
  let most = 0
  receiver.behave((received, response) => {
    held.behaviour(received, response)
    most = Math.max(most, held.waiting.length)
  })

  await Promise.all(clients.map((client) => deliver(client, 12, `${receiver.url}/shared`)))
  await receiver.arrivals(30)
  await until(async () => {
    held.release(200)
    return receiver.received.length === 48
  })
  held.release(200)

  assert.equal(most, 30)
}

const byPath =
  (behaviours: Record<string, Behaviour>): Behaviour =>
  (received, response) =>
    (behaviours[received.path] ?? assert.fail(received.path))(received, response)

async function deliver(client: DeliveryClient, count: number, callbackUrl: string): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => client.scrape({ callbackUrl })))
}
