import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDeliveryScene } from '../support/delivery-scene.ts'

test('a ping to a receiver that hangs is answered when its time is over', async (t) => {
  const scene = await startDeliveryScene(t)
  const { account, receiver, subscribe } = await scene.join(t)
  receiver.behave(() => undefined)
  const { id } = await subscribe()

  const answer = await account.call(`POST /v1/webhooks/${id}/test`)

  assert.equal(answer.statusCode, 200)
  const { duration_ms, ...outcome } = answer.json()
  assert.deepEqual(outcome, {
    delivered: false,
    http_status: null,
    error: 'The host did not answer in time.',
  })
  assert.ok(duration_ms >= 15_000 && duration_ms < 23_000, `It took ${duration_ms} ms.`)
})
