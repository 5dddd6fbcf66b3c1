import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { sql } from '../../src/storage/statement.ts'
import { callApi } from '../support/call-api.ts'
import {
  arrivedAt,
  type DeliveryScene,
  farSchedule,
  runConcurrently,
  startDeliveryScene,
} from '../support/delivery-scene.ts'
import { holdRequests, type Received, respondWith } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

const noRetries = { retries: { useRetries: false } }

/** Throws unless the message was signed with the secret. */
const verify = (secret: string, { body, headers }: Received) =>
  new Verifier(secret).verify(body, headers as Record<string, string>)

onBothStores((kind) => {
  test(`${kind}: callbacks`, { concurrency: true }, async (t) => {
    const environment = {
      TRAWL_PUBLIC_URL: 'https://trawl.example',
      TRAWL_DELIVERY_SCHEDULE: '0s,50ms,1500ms',
    }
    const scene = await startDeliveryScene(t, { kind, environment })

    await runConcurrently(t, {
      'a completed task is posted to its callback URL with its result': (t) =>
        postsResult(t, scene),
      'a callback verifies with the callback secret of its account and with no other': (t) =>
        isSigned(t, scene),
      'a failed task is posted to its callback URL with its error': (t) => postsError(t, scene),
      'a failed task is not posted when the request declined callbacks on failure': (t) =>
        isSilentOnFailure(t, scene),
      'a retried callback keeps its id and gets a new timestamp': (t) => keepsId(t, scene),
      'a redelivery sends the same message again and counts as an attempt': (t) =>
        redelivers(t, scene),
      'two concurrent redeliveries send the callback twice more': (t) => redeliversTwice(t, scene),
      'a redelivery that succeeds turns a failed callback into a delivered one': (t) =>
        redeliversGivenUp(t, scene),
      'a redelivery of a pending callback does not change its schedule': (t) =>
        redeliversPending(t, kind),
      'a callback delivered by a redelivery stays delivered when a scheduled attempt then fails': (
        t,
      ) => staysDelivered(t, scene),
      'a callback that its schedule gave up stays failed when a redelivery fails as well': (t) =>
        staysGivenUp(t, scene),
      'a cancelled task sends no callback': (t) => isSilentOnCancel(t, scene),
      'a result over 8 MiB is posted as a link': (t) => postsLink(t, scene),
      'a redelivery is refused once the result has expired': (t) => expires(t, scene),
    })
  })
})

type Context = Parameters<DeliveryScene['createClient']>[0]
type Kind = Parameters<Parameters<typeof onBothStores>[0]>[0]

async function postsResult(t: Context, scene: DeliveryScene): Promise<void> {
  const { account, receiver, scrape, untilCallback } = await scene.createClient(t)
  const metadata = { order: 7, tags: ['größer', null], nested: { '': '\u0000\u2028' } }

  const id = await scrape({ metadata })

  const [received] = await receiver.arrivals(1)
  const { delivery, ...task } = await untilCallback(id, ({ status }) => status === 'delivered')
  const result = await account.call(`GET /api/scraper/scrape/callback/${id}/result`)
  assert.deepEqual(received?.json, {
    requestId: id,
    status: 'completed',
    url: scene.site.url('/page/cod'),
    createdAt: (task as Record<string, unknown>)['createdAt'],
    completedAt: (task as Record<string, unknown>)['completedAt'],
    attempts: 1,
    metadata,
    result: { statusCode: 200, url: scene.site.url('/page/cod'), html: result.text },
    error: null,
  })
  assert.equal(received?.path, '/callback')
  assert.equal(received?.headers['content-type'], 'application/json')
  assert.match(String(received?.headers['user-agent']), /^Trawl\/\d/)
  assert.equal(received?.headers['x-request-id'], id)
  assert.equal(received?.headers['x-webhook-event'], undefined)
  assert.equal(delivery.attempts, 1)
  assert.equal(delivery.nextAttemptAt, null)
  assert.equal(delivery.lastStatusCode, 200)
  assert.equal(delivery.lastError, null)
  assert.ok(Math.abs(Date.parse(String(delivery.deliveredAt)) - Date.now()) < 60_000)
}

async function isSigned(t: Context, scene: DeliveryScene): Promise<void> {
  const { account, receiver, scrape, subscribe } = await scene.createClient(t)
  const { secret } = await subscribe()

  await scrape({ metadata: { text: 'größer 日本 \u{1f41f}' } })

  const [received] = await receiver.arrivals(1, '/callback')
  assert.ok(received)
  verify(account.callbackSecret, received)
  assert.throws(() => verify(secret, received))
  const tampered = { ...received, body: Buffer.concat([received.body, Buffer.from(' ')]) }
  assert.throws(() => verify(account.callbackSecret, tampered))
}

async function postsError(t: Context, scene: DeliveryScene): Promise<void> {
  const { account, receiver, scrape } = await scene.createClient(t)

  const id = await scrape({ path: '/reset', configurations: noRetries })

  const [received] = await receiver.arrivals(1)
  assert.ok(received)
  verify(account.callbackSecret, received)
  assert.equal(received.json.requestId, id)
  assert.equal(received.json.status, 'failed')
  assert.equal(received.json.result, null)
  assert.deepEqual(Object.keys(received.json.error), ['code', 'message', 'retryable'])
  assert.equal(received.json.error.code, 'TARGET_UNREACHABLE')
  assert.equal(received.json.error.retryable, true)
}

async function isSilentOnFailure(t: Context, scene: DeliveryScene): Promise<void> {
  const { receiver, scrape, subscribe, untilCallback } = await scene.createClient(t)
  const { id: webhookId } = await subscribe()

  const id = await scrape({
    path: '/reset',
    callback_on_failure: false,
    configurations: noRetries,
  })

  const { delivery } = await untilCallback(id, ({ status }) => status !== 'pending')
  const [event] = await receiver.arrivals(1, '/hook')
  assert.equal(event?.json.webhook_id, webhookId)
  assert.deepEqual(delivery, {
    status: 'skipped',
    attempts: 0,
    nextAttemptAt: null,
    lastStatusCode: null,
    lastError: null,
    deliveredAt: null,
  })
  assert.equal(arrivedAt(receiver, '/callback').length, 0)
}

async function keepsId(t: Context, scene: DeliveryScene): Promise<void> {
  const { account, receiver, scrape, untilCallback } = await scene.createClient(t)
  receiver.behave((_received, response) => {
    response.writeHead(receiver.received.length < 3 ? 500 : 204).end()
  })

  const id = await scrape()

  const { delivery } = await untilCallback(id, ({ status }) => status === 'delivered')
  assert.equal(delivery.attempts, 3)
  assert.equal(receiver.received.length, 3)
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
  for (const received of receiver.received) {
    verify(account.callbackSecret, received)
    assert.deepEqual(received.body, receiver.received[0]?.body)
  }
  const [first, , third] = receiver.received.map(({ headers }) => headers['webhook-timestamp'])
  assert.ok(Number(third) > Number(first))
}

async function redelivers(t: Context, scene: DeliveryScene): Promise<void> {
  const { account, receiver, scrape, untilCallback } = await scene.createClient(t)
  const id = await scrape()
  const { delivery: before } = await untilCallback(id, ({ status }) => status === 'delivered')

  const answer = await account.call(`POST /api/scraper/scrape/callback/${id}/redeliver`)

  assert.equal(answer.statusCode, 202)
  const { delivery } = await untilCallback(id, ({ attempts }) => attempts === 2)
  const [first, second] = receiver.received
  assert.ok(first && second)
  verify(account.callbackSecret, second)
  assert.equal(second.headers['webhook-id'], first.headers['webhook-id'])
  assert.deepEqual(second.json, first.json)
  assert.equal(delivery.status, 'delivered')
  assert.equal(delivery.deliveredAt, before.deliveredAt)
}

async function redeliversTwice(t: Context, scene: DeliveryScene): Promise<void> {
  const { account, receiver, scrape, untilCallback } = await scene.createClient(t)
  const id = await scrape()
  await untilCallback(id, ({ status }) => status === 'delivered')
  const redeliver = () => account.call(`POST /api/scraper/scrape/callback/${id}/redeliver`)

  await Promise.all([redeliver(), redeliver(), redeliver()])

  await untilCallback(id, ({ attempts }) => attempts === 4)
  assert.equal(receiver.received.length, 4)
}

async function redeliversGivenUp(t: Context, scene: DeliveryScene): Promise<void> {
  const { account, receiver, scrape, untilCallback } = await scene.createClient(t)
  receiver.behave(respondWith(500))
  const id = await scrape()
  await untilCallback(id, ({ status }) => status === 'failed')
  const redeliver = () => account.call(`POST /api/scraper/scrape/callback/${id}/redeliver`)

  await redeliver()
  const { delivery: stillFailed } = await untilCallback(id, ({ attempts }) => attempts === 4)
  receiver.behave(respondWith(200))
  await redeliver()
  const { delivery } = await untilCallback(id, ({ attempts }) => attempts === 5)

  assert.equal(stillFailed.status, 'failed')
  assert.equal(stillFailed.nextAttemptAt, null)
  assert.equal(delivery.status, 'delivered')
  assert.equal(delivery.lastStatusCode, 200)
  assert.equal(delivery.lastError, null)
  assert.notEqual(delivery.deliveredAt, null)
}

async function redeliversPending(t: Context, kind: Kind): Promise<void> {
  const environment = { TRAWL_DELIVERY_SCHEDULE: farSchedule }
  const scene = await startDeliveryScene(t, { kind, environment })
  const { account, receiver, scrape, untilCallback } = await scene.createClient(t)
  receiver.behave(respondWith(500))
  const id = await scrape()
  const { delivery: first } = await untilCallback(id, ({ attempts }) => attempts === 1)
  const redeliver = () => account.call(`POST /api/scraper/scrape/callback/${id}/redeliver`)

  await redeliver()
  const { delivery: second } = await untilCallback(id, ({ attempts }) => attempts === 2)
  receiver.behave(respondWith(200))
  await redeliver()
  const { delivery: third } = await untilCallback(id, ({ attempts }) => attempts === 3)

  assert.equal(second.status, 'pending')
  assert.notEqual(first.nextAttemptAt, null)
  assert.equal(second.nextAttemptAt, first.nextAttemptAt)
  assert.equal(third.status, 'delivered')
  assert.equal(third.nextAttemptAt, null)
}

/** A callback that is being sent twice: by its schedule, and by a redelivery. */
async function underWayTwice(t: Context, scene: DeliveryScene) {
  const party = await scene.createClient(t)
  const [scheduled, redelivered] = [holdRequests(), holdRequests()]
  party.receiver.behave(scheduled.behaviour)
  const id = await party.scrape()
  await party.receiver.arrivals(1)
  party.receiver.behave(redelivered.behaviour)
  await party.account.call(`POST /api/scraper/scrape/callback/${id}/redeliver`)
  await party.receiver.arrivals(2)
  return { id, scheduled, redelivered, untilCallback: party.untilCallback }
}

async function staysDelivered(t: Context, scene: DeliveryScene): Promise<void> {
  const { id, scheduled, redelivered, untilCallback } = await underWayTwice(t, scene)

  redelivered.release(200)
  const { delivery: before } = await untilCallback(id, ({ attempts }) => attempts === 1)
  scheduled.release(500)

  const { delivery } = await untilCallback(id, ({ attempts }) => attempts === 2)
  assert.equal(before.status, 'delivered')
  assert.equal(delivery.status, 'delivered')
  assert.equal(delivery.nextAttemptAt, null)
  assert.equal(delivery.deliveredAt, before.deliveredAt)
}

async function staysGivenUp(t: Context, scene: DeliveryScene): Promise<void> {
  const { id, scheduled, redelivered, untilCallback } = await underWayTwice(t, scene)

  scheduled.release(410)
  await untilCallback(id, ({ status }) => status === 'failed')
  redelivered.release(500)

  const { delivery } = await untilCallback(id, ({ attempts }) => attempts === 2)
  assert.equal(delivery.status, 'failed')
  assert.equal(delivery.nextAttemptAt, null)
}

async function isSilentOnCancel(t: Context, scene: DeliveryScene): Promise<void> {
  const { account, receiver, scrape, task, subscribe } = await scene.createClient(t)
  await subscribe()
  const id = await scrape({ path: '/silent' })

  const answer = await account.call(`DELETE /api/scraper/scrape/callback/${id}`)

  assert.equal(answer.statusCode, 202)
  await receiver.arrivals(1, '/hook')
  const { status, delivery } = await task(id)
  assert.equal(status, 'cancelled')
  assert.equal(delivery.status, 'skipped')
  const refused = await account.call(`POST /api/scraper/scrape/callback/${id}/redeliver`)
  assert.equal(refused.statusCode, 409)
  assert.equal(arrivedAt(receiver, '/callback').length, 0)
}

async function postsLink(t: Context, scene: DeliveryScene): Promise<void> {
  const { account, receiver, scrape, subscribe } = await scene.createClient(t)
  await subscribe()
  const path = `/big/${9 * 2 ** 20}`

  const id = await scrape({ path })

  const [received] = await receiver.arrivals(1, '/callback')
  const [event] = await receiver.arrivals(1, '/hook')
  assert.ok(received && event)
  verify(account.callbackSecret, received)
  const resultPath = `/api/scraper/scrape/callback/${id}/result`
  assert.deepEqual(received.json.result, {
    statusCode: 200,
    url: scene.site.url(path),
    resultUrl: `https://trawl.example${resultPath}`,
  })
  assert.deepEqual(event.json.data, {
    job_id: id,
    status: 'completed',
    result_url: `https://trawl.example/v1/extract/${id}`,
  })
  const headers = { 'x-api-key': account.apiKey }
  const result = await callApi(scene.service.url, `GET ${resultPath}`, { headers })
  assert.equal(result.text.length, 9 * 2 ** 20)
  const job = await callApi(scene.service.url, `GET /v1/extract/${id}`, { headers })
  assert.equal(job.json().data.html.length, 9 * 2 ** 20)
}

async function expires(t: Context, scene: DeliveryScene): Promise<void> {
  const { account, receiver, scrape, untilCallback } = await scene.createClient(t)
  const id = await scrape()
  await untilCallback(id, ({ status }) => status === 'delivered')
  const { db } = await scene.service.openBeside()
  const agoMs = 73 * 3_600_000
  await db.run(sql`
    update tasks set completed_at_ms = completed_at_ms - ${agoMs} where id = ${id}`)
  await db.run(sql`
    update deliveries set ended_at_ms = ended_at_ms - ${agoMs} where task_id = ${id}`)

  const answer = await account.call(`POST /api/scraper/scrape/callback/${id}/redeliver`)

  assert.equal(answer.statusCode, 410)
  assert.equal(answer.json().code, 'EXPIRED')
  assert.equal(receiver.received.length, 1)
}
