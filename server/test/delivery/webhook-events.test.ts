import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { sql } from '../../src/storage/statement.ts'
import {
  arrivedAt,
  type DeliveryClient,
  type DeliveryScene,
  runConcurrently,
  startDeliveryScene,
} from '../support/delivery-scene.ts'
import type { Received } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const standardVerify = (secret: string, { body, headers }: Received) =>
  new Verifier(secret).verify(body, headers as Record<string, string>)

const vendorSignature = (secret: string, { body }: Received): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** Asserts that the body of an event is the job as its GET shows it, and nothing else. */
async function assertEvent(
  { account }: DeliveryClient,
  { event, webhookId, taskId }: { event: Received; webhookId: string; taskId: string },
): Promise<void> {
  const job = (await account.call(`GET /v1/extract/${taskId}`)).json()
  assert.deepEqual(event.json, {
    event: 'extract_completed',
    webhook_id: webhookId,
    delivery_id: event.headers['webhook-id'],
    timestamp: job.completed_at,
    data: job,
  })
}

onBothStores((kind) => {
  test(`${kind}: webhook events`, { concurrency: true }, async (t) => {
    const scene = await startDeliveryScene(t, { kind })

    await runConcurrently(t, {
      'the events of callback and realtime tasks have the same body as the GET of their job': (t) =>
        sendsCompleted(t, scene),
      'a failed task sends a webhook event': (t) => sendsFailed(t, scene),
      'a task that was cancelled through the API sends a webhook event': (t) =>
        sendsCancelled(t, scene),
      'a realtime task whose caller disconnected sends no webhook event': (t) =>
        ignoresHangUp(t, scene),
      'every webhook event has the standard signature and the vendor signature': (t) =>
        isSignedBothWays(t, scene),
      'during a secret rotation both secrets verify an event, afterwards only the new one': (t) =>
        rotates(t, scene),
      'webhooks for other event types or of other accounts get no event': (t) =>
        choosesWhom(t, scene),
    })
  })
})

async function sendsCompleted(t: TestContext, scene: DeliveryScene): Promise<void> {
  const party = await scene.createClient(t)
  const { id: webhookId } = await party.subscribe()

  const callbackId = await party.scrape()
  const realtimeId = await party.scrapeNow('/page/haddock')

  const events = await party.receiver.arrivals(2, '/hook')
  for (const taskId of [callbackId, realtimeId]) {
    const event = events.find(({ json }) => json.data.job_id === taskId)
    assert.ok(event)
    await assertEvent(party, { event, webhookId, taskId })
    assert.equal(event.json.data.status, 'completed')
    assert.equal(event.headers['content-type'], 'application/json')
    assert.match(String(event.headers['user-agent']), /^Trawl\//)
    assert.equal(event.headers['x-webhook-event'], 'extract_completed')
    assert.equal(event.headers['x-webhook-delivery-id'], event.json.delivery_id)
    assert.equal(event.headers['x-request-id'], taskId)
  }
}

async function sendsFailed(t: TestContext, scene: DeliveryScene): Promise<void> {
  const party = await scene.createClient(t)
  const { id: webhookId } = await party.subscribe()

  const taskId = await party.scrapeNow('/reset')

  const [event] = await party.receiver.arrivals(1, '/hook')
  assert.ok(event)
  await assertEvent(party, { event, webhookId, taskId })
  assert.equal(event.json.data.status, 'failed')
  assert.equal(event.json.data.data, null)
  assert.equal(event.json.data.error.details.reason, 'TARGET_UNREACHABLE')
}

async function sendsCancelled(t: TestContext, scene: DeliveryScene): Promise<void> {
  const party = await scene.createClient(t)
  const { id: webhookId } = await party.subscribe()
  const taskId = await party.scrape({ path: '/silent' })

  await party.account.call(`DELETE /api/scraper/scrape/callback/${taskId}`)

  const [event] = await party.receiver.arrivals(1, '/hook')
  assert.ok(event)
  await assertEvent(party, { event, webhookId, taskId })
  assert.equal(event.json.data.status, 'cancelled')
}

async function ignoresHangUp(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { account, receiver, subscribe, scrapeNow, deliveries } = await scene.createClient(t)
  const { id: webhookId } = await subscribe()
  const path = `/silent?of=${account.username}`
  const hangUp = new AbortController()
  const call = fetch(`${scene.service.url}/api/scraper/scrape/realtime`, {
    method: 'POST',
    headers: { 'x-api-key': account.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ url: scene.site.url(path) }),
    signal: hangUp.signal,
  }).catch(() => undefined)
  await scene.site.waitForRequest(path)

  hangUp.abort()

  await call
  const isCancelled = async () => {
    const { items } = (await account.call('GET /api/scraper/scrape/callback')).json()
    return items[0].status === 'cancelled'
  }
  await until(isCancelled)
  const heardOf = await scrapeNow()
  const [event] = await receiver.arrivals(1, '/hook')
  assert.equal(event?.json.data.job_id, heardOf)
  assert.equal((await deliveries(webhookId)).length, 1)
}

async function isSignedBothWays(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { account, receiver, subscribe, scrapeNow } = await scene.createClient(t)
  const { secret } = await subscribe()

  await scrapeNow('/page/日本')

  const [event] = await receiver.arrivals(1, '/hook')
  assert.ok(event)
  standardVerify(secret, event)
  assert.throws(() => standardVerify(account.callbackSecret, event))
  assert.equal(event.headers['x-webhook-signature'], vendorSignature(secret, event))
}

async function rotates(t: TestContext, scene: DeliveryScene): Promise<void> {
  const { account, receiver, subscribe, scrapeNow } = await scene.createClient(t)
  const { id, secret: old } = await subscribe()
  const rotated = await account.call(`POST /v1/webhooks/${id}/rotate-secret`)
  const { secret } = rotated.json()

  await scrapeNow()
  const [during] = await receiver.arrivals(1)
  const { db } = await scene.service.openBeside()
  await endRotation(db, id)
  await scrapeNow()
  const [, afterwards] = await receiver.arrivals(2)

  assert.ok(during && afterwards)
  assert.equal(String(during.headers['webhook-signature']).split(' ').length, 2)
  standardVerify(old, during)
  standardVerify(secret, during)
  assert.equal(during.headers['x-webhook-signature'], vendorSignature(secret, during))
  assert.equal(String(afterwards.headers['webhook-signature']).split(' ').length, 1)
  assert.throws(() => standardVerify(old, afterwards))
  standardVerify(secret, afterwards)
}

async function endRotation(
  db: Awaited<ReturnType<DeliveryScene['service']['openBeside']>>['db'],
  webhookId: string,
): Promise<void> {
  const [secret] = await db.run(sql<{ expires_at_ms: number }>`
    update signing_secrets set expires_at_ms = expires_at_ms - ${25 * 3_600_000}
    where webhook_id = ${webhookId} and expires_at_ms is not null
    returning expires_at_ms`)
  assert.ok(Number(secret?.expires_at_ms) <= db.nowMs())
}

async function choosesWhom(t: TestContext, scene: DeliveryScene): Promise<void> {
  const [mine, stranger] = [await scene.createClient(t), await scene.createClient(t)]
  await mine.subscribe({ path: '/batch', event_type: 'batch_completed' })
  await mine.subscribe({ path: '/crawl', event_type: 'crawl_completed' })
  await mine.subscribe({ path: '/first' })
  await mine.subscribe({ path: '/second' })
  await stranger.subscribe()

  await mine.scrapeNow()

  const [first] = await mine.receiver.arrivals(1, '/first')
  const [second] = await mine.receiver.arrivals(1, '/second')
  assert.notEqual(first?.headers['webhook-id'], second?.headers['webhook-id'])
  assert.deepEqual(arrivedAt(mine.receiver, '/batch'), [])
  assert.deepEqual(arrivedAt(mine.receiver, '/crawl'), [])
  assert.deepEqual(stranger.receiver.received, [])
}
