import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { openColumn } from '../../src/storage/secrets/sealed-columns.ts'
import { sql } from '../../src/storage/statement.ts'
import {
  type DeliveryScene,
  farSchedule,
  runConcurrently,
  startDeliveryScene,
} from '../support/delivery-scene.ts'
import { type Behaviour, respondWith } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

const hourMs = 3_600_000

onBothStores((kind) => {
  test(`${kind}: the schedule of deliveries`, { concurrency: true }, async (t) => {
    const quick = await startDeliveryScene(t, { kind })
    const slow = await startDeliveryScene(t, {
      kind,
      environment: { TRAWL_DELIVERY_SCHEDULE: farSchedule },
    })

    await runConcurrently(t, {
      'a callback that always fails is attempted as often as scheduled and then given up': (t) =>
        givesUp(t, quick),
      'a webhook event that always fails is given up and listed as failed': (t) =>
        givesUpEvent(t, quick),
      'between attempts the status shows the last error and the time of the next attempt': (t) =>
        waits(t, slow),
      'a 4xx response other than 410 is retried': (t) => retriesClientErrors(t, quick),
      'a redirect counts as a failure and is not followed': (t) => followsNothing(t, quick),
      'a refused connection is retried': (t) => retriesRefusal(t, quick),
      'a 410 response gives up a callback at once': (t) => callbackGone(t, quick),
      'a 410 response gives up a webhook event at once and pauses the webhook': (t) =>
        webhookGone(t, quick),
      'a Retry-After longer than the schedule is honoured for 429 and 503': (t) =>
        obeysRetryAfter(t, slow),
      'an invalid Retry-After, or one shorter than the schedule, is ignored': (t) =>
        ignoresRetryAfter(t, slow),
      'the start of a response body is stored as printable text': (t) => keepsExcerpt(t, quick),
    })
  })
})

async function givesUp(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { receiver, scrape, untilCallback } = await scene.createClient(t)
  receiver.behave(respondWith(500))

  const id = await scrape()

  const { delivery } = await untilCallback(id, ({ status }) => status === 'failed')
  assert.deepEqual(delivery, {
    status: 'failed',
    attempts: 3,
    nextAttemptAt: null,
    lastStatusCode: 500,
    lastError: 'The receiver answered 500.',
    deliveredAt: null,
  })
  const [first, second, third] = receiver.received.map(({ atMs }) => atMs)
  assert.equal(receiver.received.length, 3)
  assert.ok(Number(second) - Number(first) >= 40 - 5)
  assert.ok(Number(third) - Number(second) >= 80 - 5)
}

async function givesUpEvent(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { receiver, subscribe, scrapeNow, untilDeliveries } = await scene.createClient(t)
  receiver.behave(respondWith(502))
  const { id: webhookId } = await subscribe()

  const taskId = await scrapeNow()

  const [listed] = await untilDeliveries(webhookId, ([one]) => one?.status === 'failed')
  assert.deepEqual(
    { ...listed, created_at: '' },
    {
      id: receiver.received[0]?.headers['webhook-id'],
      event_type: 'extract_completed',
      job_id: taskId,
      attempt_number: 3,
      status: 'failed',
      http_status: 502,
      delivered_at: null,
      created_at: '',
    },
  )
}

async function waits(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { receiver, scrape, untilCallback } = await scene.createClient(t)
  receiver.behave(respondWith(404))

  const id = await scrape()

  const { delivery } = await untilCallback(id, ({ attempts }) => attempts === 1)
  assert.equal(delivery.status, 'pending')
  assert.equal(delivery.lastStatusCode, 404)
  assert.equal(delivery.lastError, 'The receiver answered 404.')
  assert.equal(delivery.deliveredAt, null)
  const pauseMs = Date.parse(String(delivery.nextAttemptAt)) - Number(receiver.received[0]?.atMs)
  assert.ok(pauseMs >= 0.8 * hourMs - 1_000 && pauseMs <= 1.2 * hourMs + 10_000, `${pauseMs}`)
}

async function retriesClientErrors(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { receiver, scrape, untilCallback } = await scene.createClient(t)
  const statuses = [400, 404, 200]
  receiver.behave((_received, response) => {
    response.writeHead(statuses[receiver.received.length - 1] ?? 200).end()
  })

  const id = await scrape()

  const { delivery } = await untilCallback(id, ({ status }) => status === 'delivered')
  assert.equal(delivery.attempts, 3)
  assert.equal(delivery.lastError, null)
}

async function followsNothing(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { receiver, scrape, untilCallback } = await scene.createClient(t)
  const statuses = [301, 307, 308]
  receiver.behave((_received, response) => {
    const status = statuses[receiver.received.length - 1] ?? 302
    response.writeHead(status, { location: `${receiver.url}/canary` }).end()
  })

  const id = await scrape()

  const { delivery } = await untilCallback(id, ({ status }) => status === 'failed')
  assert.equal(delivery.lastStatusCode, 308)
  assert.match(String(delivery.lastError), /Redirects are not followed/)
  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/callback', '/callback', '/callback'],
  )
}

async function retriesRefusal(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { scrape, untilCallback } = await scene.createClient(t)

  const id = await scrape({ callbackUrl: await closedUrl() })

  const { delivery } = await untilCallback(id, ({ status }) => status === 'failed')
  assert.equal(delivery.attempts, 3)
  assert.equal(delivery.lastStatusCode, null)
  assert.equal(delivery.lastError, 'The host could not be reached.')
}

async function callbackGone(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { receiver, scrape, untilCallback } = await scene.createClient(t)
  receiver.behave(respondWith(410))

  const id = await scrape()

  const { delivery } = await untilCallback(id, ({ status }) => status !== 'pending')
  assert.equal(delivery.status, 'failed')
  assert.equal(delivery.attempts, 1)
  assert.equal(delivery.lastStatusCode, 410)
  assert.equal(delivery.nextAttemptAt, null)
}

async function webhookGone(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { account, receiver, subscribe, scrapeNow, untilDeliveries } = await scene.createClient(t)
  receiver.behave(respondWith(410))
  const { id: webhookId } = await subscribe()

  await scrapeNow()

  const [listed] = await untilDeliveries(webhookId, ([one]) => one?.status === 'failed')
  assert.equal(listed?.attempt_number, 1)
  assert.equal(listed?.http_status, 410)
  const webhook = (await account.call(`GET /v1/webhooks/${webhookId}`)).json()
  assert.equal(webhook.is_active, false)
  await scrapeNow()
  const [next] = await untilDeliveries(webhookId, ({ length }) => length === 2)
  assert.equal(next?.status, 'skipped')
  assert.equal(receiver.received.length, 1)
}

/** How long a callback waits after this response, in hours. */
async function pauseAfter(
  t: TestContext,
  scene: DeliveryScene,
  behaviour: Behaviour,
): Promise<number> {
  const { receiver, scrape, untilCallback } = await scene.createClient(t)
  receiver.behave(behaviour)
  const id = await scrape()
  const { delivery } = await untilCallback(id, ({ attempts }) => attempts === 1)
  return (Date.parse(String(delivery.nextAttemptAt)) - Number(receiver.received[0]?.atMs)) / hourMs
}

async function obeysRetryAfter(t: TestContext, scene: DeliveryScene): Promise<void> {
  const inFiveHours = new Date(Date.now() + 5 * hourMs).toUTCString()
  const cases: [status: number, header: string, hours: number][] = [
    [429, '7200', 2],
    [503, inFiveHours, 5],
    [429, '99999999999', 24],
    [503, 'Fri, 31 Dec 9999 23:59:59 GMT', 24],
  ]

  const pauses = await Promise.all(
    cases.map(([status, header]) =>
      pauseAfter(t, scene, respondWith(status, { 'retry-after': header })),
    ),
  )

  for (const [index, [, header, hours]] of cases.entries()) {
    assert.ok(Math.abs(Number(pauses[index]) - hours) < 0.01, `${header}: ${pauses[index]} h`)
  }
}

async function ignoresRetryAfter(t: TestContext, scene: DeliveryScene): Promise<void> {
  const cases: [status: number, header: string][] = [
    [429, '-1'],
    [503, 'soon'],
    [429, '1'],
    [503, 'Thu, 01 Jan 1970 00:00:00 GMT'],
    [500, '7200'],
  ]

  const pauses = await Promise.all(
    cases.map(([status, header]) =>
      pauseAfter(t, scene, respondWith(status, { 'retry-after': header })),
    ),
  )

  for (const [index, [, header]] of cases.entries()) {
    const pause = Number(pauses[index])
    assert.ok(pause >= 0.79 && pause <= 1.21, `${header}: ${pause} h`)
  }
}

async function keepsExcerpt(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { receiver, scrape, untilCallback } = await scene.createClient(t)
  const said = Buffer.concat([
    Buffer.from('größer \u001b[31m\u0000 '),
    Buffer.from([0xff, 0xc3]),
    Buffer.alloc(2_000, 'a'),
  ])
  receiver.behave((_received, response) => void response.writeHead(500).end(said))

  const id = await scrape()

  await untilCallback(id, ({ status }) => status === 'failed')
  const { db, sealer } = await scene.service.openBeside()
  const attempts = await db.run(sql<{
    id: string
    account_id: string
    number: number
    status_code: number
    answer_excerpt: string
  }>`
    select deliveries.id, account_id, number, status_code, answer_excerpt from delivery_attempts
    join deliveries on deliveries.id = delivery_attempts.delivery_id
    where task_id = ${id} order by number`)
  assert.deepEqual(
    attempts.map(({ number, status_code }) => [number, status_code]),
    [
      [1, 500],
      [2, 500],
      [3, 500],
    ],
  )
  const [first] = attempts
  const place = { id: first?.id ?? '', accountId: first?.account_id ?? '' }
  const column = 'delivery_attempts.answer_excerpt'
  const excerpt = openColumn(sealer, column, place, first?.answer_excerpt ?? '')
  assert.ok(excerpt.startsWith('größer \\u{1b}[31m\\u{0} \ufffd\ufffdaaa'), excerpt.slice(0, 40))
  const keptOfTail = 1024 - said.indexOf('aaa')
  assert.ok(excerpt.endsWith(` \ufffd\ufffd${'a'.repeat(keptOfTail)}`))
}

/** A URL on a port where nobody listens. */
async function closedUrl(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/callback`
}
