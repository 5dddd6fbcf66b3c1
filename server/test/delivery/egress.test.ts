import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listenOn } from '../outbound/listeners.ts'
import { runConcurrently, startDeliveryScene } from '../support/delivery-scene.ts'
import { startTestDns } from '../support/test-dns.ts'
import { respondWith } from '../support/test-receiver.ts'

test('the egress guard for callbacks and webhooks', { concurrency: true }, async (t) => {
  const dns = await startTestDns(t, {})
  const scene = await startDeliveryScene(t, {
    environment: {
      TRAWL_EGRESS_ALLOW: 'target=127.0.0.0/8,callback=127.0.0.1/32',
      TRAWL_DNS_SERVERS: dns.address,
    },
  })
  const refusal =
    'This service may not reach that URL; its operator can open private addresses with TRAWL_EGRESS_ALLOW.'

  await runConcurrently(t, {
    'a callback URL whose name resolves to a forbidden address is never connected to': async (
      t,
    ) => {
      const { scrape, untilCallback } = await scene.createClient(t)
      const canary = await listenOn(t, ['127.0.0.2'])
      dns.set('hooks.example', { addresses: ['127.0.0.2', '::1', '169.254.169.254'] })

      const id = await scrape({ callbackUrl: `http://hooks.example:${canary.port}/in` })

      const { delivery } = await untilCallback(id, ({ status }) => status === 'failed')
      assert.equal(delivery.attempts, 3)
      assert.equal(delivery.lastStatusCode, null)
      assert.equal(delivery.lastError, refusal)
      assert.deepEqual([...(await canary.counted()).values()], [0])
    },

    'each attempt resolves and checks the name of a callback URL again': async (t) => {
      const { receiver, scrape, untilCallback } = await scene.createClient(t)
      receiver.behave(respondWith(500, { connection: 'close' }))
      const { port } = new URL(receiver.url)
      dns.set('rebinding.example', ({ before }) => ({
        addresses: [before === 0 ? '127.0.0.1' : '127.0.0.2'],
        ttl: 0,
      }))

      const id = await scrape({ callbackUrl: `http://rebinding.example:${port}/in` })

      const { delivery } = await untilCallback(id, ({ status }) => status === 'failed')
      assert.equal(delivery.attempts, 3)
      assert.equal(delivery.lastError, refusal)
      assert.equal(receiver.received.length, 1)
    },

    'a callback URL whose name does not exist is retried': async (t) => {
      const { scrape, untilCallback } = await scene.createClient(t)

      const id = await scrape({ callbackUrl: 'http://nowhere.example/in' })

      const { delivery } = await untilCallback(id, ({ status }) => status === 'failed')
      assert.equal(delivery.attempts, 3)
      assert.equal(delivery.lastError, 'The name of the host could not be resolved.')
    },

    'the error of a ping does not reveal the forbidden address': async (t) => {
      const { account, subscribe } = await scene.createClient(t)
      const canary = await listenOn(t, ['127.0.0.2'])
      dns.set('inside.example', { addresses: ['127.0.0.2'] })
      const { id } = await subscribe({ url: `http://inside.example:${canary.port}/in` })

      const answer = await account.call(`POST /v1/webhooks/${id}/test`)

      assert.equal(answer.statusCode, 200)
      const { duration_ms, ...rest } = answer.json()
      assert.deepEqual(rest, { delivered: false, http_status: null, error: refusal })
      assert.ok(duration_ms >= 0)
      assert.deepEqual([...(await canary.counted()).values()], [0])
    },
  })
})
