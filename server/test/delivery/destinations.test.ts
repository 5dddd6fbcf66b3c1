import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  type DeliveryScene,
  runConcurrently,
  startDeliveryScene,
} from '../support/delivery-scene.ts'
import {
  type Behaviour,
  holdRequests,
  respondWith,
  type TestReceiver,
} from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

// Enough for three receivers with ten concurrent deliveries each.
const slotsMax = 32

onBothStores((kind) => {
  test(`${kind}: many deliveries to one receiver`, { concurrency: true }, async (t) => {
    const environment = { TRAWL_DELIVERY_CONCURRENCY: String(slotsMax) }
    const scene = await startDeliveryScene(t, { kind, environment })

    await runConcurrently(t, {
      'a receiver gets at most ten deliveries at once, and waiting spends no attempt': (t) =>
        sendsTenAtOnce(t, scene),
      'after ten failures in a row a receiver gets one delivery at a time until one succeeds': (
        t,
      ) => sendsOneByOne(t, scene),
      'a receiver that hangs does not delay deliveries to others': (t) => holdsUpNobody(t, scene),
    })
  })
})

const times = <Made>(count: number, make: () => Promise<Made>): Promise<Made[]> =>
  Promise.all(Array.from({ length: count }, make))

async function sendsTenAtOnce(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { account, receiver, scrape } = await scene.createClient(t)
  const held = holdRequests()
  receiver.behave(held.behaviour)

  await times(34, () => scrape())
  await receiver.arrivals(10)
  await untilAll(account, ({ status }) => status === 'completed')

  let most = held.waiting.length
  assert.equal(most, 10)
  while (receiver.received.length < 34) {
    const count = receiver.received.length
    held.release(200)
    await receiver.arrivals(Math.min(count + 1, 34))
    most = Math.max(most, held.waiting.length)
  }
  held.release(200)
  await untilAll(account, ({ delivery }) => delivery.status === 'delivered')
  assert.equal(most, 10)
  const tasks = await listTasks(account)
  assert.deepEqual([...new Set(tasks.map(({ delivery }) => delivery.attempts))], [1])
}

async function sendsOneByOne(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { account, receiver, scrape } = await scene.createClient(t)
  const held = holdRequests()
  receiver.behave(held.behaviour)
  await times(30, () => scrape())
  // When the tenth failure comes, at most nine others are being sent.
  for (let failures = 0; failures < 20; ) {
    await until(() => held.waiting.length > 0, { withinMs: 10_000 })
    failures += held.waiting.length
    held.release(500)
  }

  const seen: number[] = []
  for (let turn = 0; turn < 8; turn++) {
    await until(() => held.waiting.length > 0, { withinMs: 10_000 })
    seen.push(held.waiting.length)
    held.release(500)
  }
  await until(() => held.waiting.length > 0, { withinMs: 10_000 })
  held.release(200)

  assert.deepEqual([...new Set(seen)], [1])
  await until(() => held.waiting.length === 10, { withinMs: 10_000 })
  receiver.behave((_received, response) => void response.end())
  held.release(200)
  await untilAll(account, ({ delivery }) => delivery.status !== 'pending')
  const tasks = await listTasks(account)
  const attempts = tasks.reduce((sum, { delivery }) => sum + delivery.attempts, 0)
  assert.equal(attempts, receiver.received.length)
}

async function holdsUpNobody(t: TestContext, scene: DeliveryScene): Promise<void> {
  const [stuck, lively] = [await scene.createClient(t), await scene.createClient(t)]
  const held = holdRequests()
  const stuckArrived = whenReceived(stuck.receiver, 10, held.behaviour)
  const livelyArrived = whenReceived(lively.receiver, 20, respondWith(200))
  // More than there are slots in the lane.
  await times(2 * slotsMax, () => stuck.scrape())
  await stuckArrived

  await times(20, () => lively.scrape())

  await livelyArrived
  assert.equal(held.waiting.length, 10)
  assert.equal(stuck.receiver.received.length, 10)
}

/** Resolves once this many have arrived. */
function whenReceived(receiver: TestReceiver, count: number, behaviour: Behaviour): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  receiver.behave((received, response) => {
    behaviour(received, response)
    if (receiver.received.length === count) resolve()
  })
  return promise
}

type Account = Awaited<ReturnType<DeliveryScene['createClient']>>['account']

interface Listed {
  status: string
  delivery: { status: string; attempts: number }
}

const listTasks = async (account: Account): Promise<Listed[]> =>
  (await account.call('GET /api/scraper/scrape/callback')).json().items

const untilAll = (account: Account, isSo: (task: Listed) => boolean): Promise<void> =>
  until(async () => (await listTasks(account)).every(isSo), { withinMs: 20_000 })
