/** Messages signed by the service and by the library of Standard Webhooks, verified by the SDK. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { signStandard } from '../../server/src/domain/delivery/webhook-signature.ts'
import { reachingLoopback } from '../../server/test/support/scrape-calls.ts'
import { startTestReceiver } from '../../server/test/support/test-receiver.ts'
import { startTestService } from '../../server/test/support/test-service.ts'
import {
  type CallbackMessage,
  Trawl,
  unwrapWebhook,
  verifyWebhook,
  type WebhookEvent,
} from '../src/index.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const body = '{"event":"ping","data":{"name":"Ægir 🐟"}}'
const now = Date.now()
const timestampSeconds = Math.floor(now / 1_000)

function headersOf(...secrets: string[]): Record<string, string> {
  const parts = { id: 'msg_1', timestampSeconds, chunks: [Buffer.from(body)] }
  return {
    'Webhook-Id': parts.id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets.map((one) => signStandard(one, parts)).join(' '),
  }
}

test('every form of body, headers and secret is verified', async () => {
  const headers = headersOf(secret)
  const bytes = new TextEncoder().encode(body)
  await verifyWebhook(body, headers, secret)
  await verifyWebhook(bytes, new Headers(headers), [secret])
  await verifyWebhook(bytes.buffer, headers, [other, secret])
  await verifyWebhook(Buffer.from(body), headersOf(other, secret), secret)
  const plain = 'a secret that the operator chose'
  await verifyWebhook(body, headersOf(plain), plain)
})

test('what the library of Standard Webhooks signs is verified, and it verifies the same', async () => {
  const library = new Webhook(secret)
  const signature = library.sign('msg_2', new Date(now), body)
  const headers = {
    'webhook-id': 'msg_2',
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': `v2,bm90IG91cnM= v1a,%% ${signature}`,
  }

  assert.deepEqual(await unwrapWebhook(body, headers, secret), library.verify(body, headers))
})

const refused: [name: string, code: string, change: Record<string, string>, at?: number][] = [
  ['no id', 'MISSING_HEADER', { 'Webhook-Id': '' }],
  ['another id', 'INVALID_SIGNATURE', { 'Webhook-Id': 'msg_2' }],
  ['another time', 'INVALID_SIGNATURE', { 'webhook-timestamp': String(timestampSeconds + 1) }],
  ['a time that is none', 'INVALID_TIMESTAMP', { 'webhook-timestamp': '1e3' }],
  ['no signature of a known version', 'INVALID_SIGNATURE', { 'webhook-signature': 'v0,AAAA' }],
  ['a broken signature', 'INVALID_SIGNATURE', { 'webhook-signature': 'v1,AA!! v1, v1,AAAA' }],
  ['a message from the past', 'OUTSIDE_TOLERANCE', {}, now + 302_000],
  ['a message from the future', 'OUTSIDE_TOLERANCE', {}, now - 302_000],
]

for (const [name, code, change, at = now] of refused) {
  test(`${name} is refused with ${code}`, async () => {
    const headers = { ...headersOf(secret), ...change }
    const verifying = verifyWebhook(body, headers, secret, { now: at })

    await assert.rejects(verifying, { name: 'WebhookError', code })
  })
}

test('an empty secret is a mistake of the receiver, never a right signature', async () => {
  for (const empty of ['', 'whsec_', 'whsec_%%']) {
    await assert.rejects(verifyWebhook(body, headersOf(secret), empty), TypeError)
  }
  await assert.rejects(verifyWebhook(body, headersOf(secret), []), { code: 'INVALID_SIGNATURE' })
})

test('callbacks and events of a running service are verified, also while a secret rotates', async (t) => {
  const receiver = await startTestReceiver(t)
  const service = await startTestService(t, { environment: reachingLoopback })
  const account = await service.createAccount()
  const trawl = new Trawl({ baseUrl: service.url, apiKey: account.apiKey })
  const url = `${receiver.url}/webhook`
  const webhook = await trawl.webhooks.create({ url, event_type: 'extract_completed' })
  const rotated = await trawl.webhooks.rotateSecret(webhook.id)

  const target = `${receiver.url}/page`
  await trawl.scraper.submit({ url: target, callbackUrl: `${receiver.url}/callback` })
  const [event] = await receiver.arrivals(1, '/webhook')
  const [callback] = await receiver.arrivals(1, '/callback')
  assert.ok(event && callback)

  for (const known of [webhook.secret, rotated.secret, [other, rotated.secret]]) {
    const received: WebhookEvent = await unwrapWebhook(event.body, event.headers, known)
    assert.equal(received.event, 'extract_completed')
  }
  const secrets = account.callbackSecret
  const message = await unwrapWebhook<CallbackMessage>(callback.body, callback.headers, secrets)
  assert.deepEqual([message.url, message.status], [target, 'completed'])
})
