import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDeliveryScene } from '../support/delivery-scene.ts'
import { isOverBefore } from '../support/is-over-before.ts'

test('a ping to a receiver that hangs returns an error after the timeout', async (t) => {
  const scene = await startDeliveryScene(t)
  const { account, receiver, subscribe } = await scene.createClient(t)
  receiver.behave(() => undefined)
  const { id } = await subscribe()

  const pinged = account.call(`POST /v1/webhooks/${id}/test`)
  const isInTime = await isOverBefore(pinged, 23_000)
  const answer = await pinged

  assert.equal(answer.statusCode, 200)
  const { duration_ms, ...outcome } = answer.json()
  assert.deepEqual(outcome, {
    delivered: false,
    http_status: null,
    error: 'The host did not answer in time.',
  })
  assert.ok(duration_ms >= 15_000 && isInTime, `It took ${duration_ms} ms.`)
})
