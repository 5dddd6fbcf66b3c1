import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { callApi } from '../support/call-api.ts'
import { farSchedule, runConcurrently, startDeliveryScene } from '../support/delivery-scene.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { respondWith } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

const missing = '11111111-1111-1111-1111-111111111111'
const pathOf = (webhookId: string, deliveryId: string | undefined) =>
  `/v1/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`

onBothStores((kind) => {
  test(`${kind}: redelivering a webhook delivery`, { concurrency: true }, async (t) => {
    const scene = await startDeliveryScene(t, { kind })
    const slow = await startDeliveryScene(t, {
      kind,
      environment: { TRAWL_DELIVERY_SCHEDULE: farSchedule },
    })

    await runConcurrently(t, {
      'redelivering a delivered message gets 202 and sends it unchanged': async (t) => {
        const client = await scene.createClient(t)
        const { account, receiver, subscribe, scrapeNow, untilDeliveries } = client
        const { id } = await subscribe()
        await scrapeNow()
        const [delivery] = await untilDeliveries(id, ([one]) => one?.status === 'delivered')

        const answer = await account.call(`POST ${pathOf(id, delivery?.id)}`)

        assert.equal(answer.statusCode, 202)
        assert.deepEqual(answer.json(), { id: delivery?.id })
        const [listed] = await untilDeliveries(id, ([one]) => one?.attempt_number === 2)
        const [first, second] = receiver.received
        assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id'])
        assert.deepEqual(second?.json, first?.json)
        assert.deepEqual(listed, { ...delivery, attempt_number: 2 })
      },

      '202: one that was delivered stays so when it fails now': async (t) => {
        const { account, receiver, subscribe, scrapeNow, untilDeliveries } =
          await scene.createClient(t)
        const { id } = await subscribe()
        await scrapeNow()
        const [delivery] = await untilDeliveries(id, ([one]) => one?.status === 'delivered')
        receiver.behave(respondWith(500))

        await account.call(`POST ${pathOf(id, delivery?.id)}`)

        const [listed] = await untilDeliveries(id, ([one]) => one?.attempt_number === 2)
        assert.deepEqual(listed, { ...delivery, attempt_number: 2, http_status: 500 })
      },

      '202: one that was given up is delivered when it succeeds now': async (t) => {
        const { account, receiver, subscribe, scrapeNow, untilDeliveries } =
          await scene.createClient(t)
        receiver.behave(respondWith(500))
        const { id } = await subscribe()
        await scrapeNow()
        const [delivery] = await untilDeliveries(id, ([one]) => one?.status === 'failed')
        receiver.behave(respondWith(201))

        await account.call(`POST ${pathOf(id, delivery?.id)}`)

        const [listed] = await untilDeliveries(id, ([one]) => one?.status === 'delivered')
        assert.equal(listed?.attempt_number, 4)
        assert.equal(listed?.http_status, 201)
        assert.ok(listed?.delivered_at)
      },

      'a skipped delivery is sent, and becomes failed if that fails': async (t) => {
        const client = await scene.createClient(t)
        const { account, receiver, subscribe, scrapeNow, patch, untilDeliveries } = client
        receiver.behave(respondWith(500))
        const { id } = await subscribe()
        await patch(id, { is_active: false })
        await scrapeNow()
        const [delivery] = await untilDeliveries(id, ([one]) => one?.status === 'skipped')

        await account.call(`POST ${pathOf(id, delivery?.id)}`)

        const [listed] = await untilDeliveries(id, ([one]) => one?.attempt_number === 1)
        assert.equal(listed?.status, 'failed')
      },

      '202: one that is pending stays on its schedule': async (t) => {
        const { account, receiver, subscribe, scrapeNow, untilDeliveries } =
          await slow.createClient(t)
        receiver.behave(respondWith(500))
        const { id } = await subscribe()
        await scrapeNow()
        const [delivery] = await untilDeliveries(id, ([one]) => one?.attempt_number === 1)
        const { db } = await slow.service.openBeside()
        const due = () =>
          db.run(sql<{ due_at_ms: number; schedule_step: number }>`
            select queue_entries.due_at_ms, deliveries.schedule_step from queue_entries
            join deliveries on deliveries.id = queue_entries.id
            where queue_entries.id = ${delivery?.id ?? ''}`)
        const before = await due()

        await account.call(`POST ${pathOf(id, delivery?.id)}`)

        const [listed] = await untilDeliveries(id, ([one]) => one?.attempt_number === 2)
        assert.equal(listed?.status, 'pending')
        assert.equal(before.length, 1)
        assert.deepEqual(await due(), before)
        receiver.behave(respondWith(200))
        await account.call(`POST ${pathOf(id, delivery?.id)}`)
        await untilDeliveries(id, ([one]) => one?.status === 'delivered')
        assert.deepEqual(await due(), [])
      },

      "redelivery gets 401 without credentials, 404 for unknown ids and another account's": async (
        t,
      ) => {
        const { account, subscribe, scrapeNow, untilDeliveries } = await scene.createClient(t)
        const { account: stranger } = await scene.createClient(t)
        const [mine, other] = [await subscribe(), await subscribe({ path: '/other' })]
        await scrapeNow()
        const [delivery] = await untilDeliveries(mine.id, ([one]) => one?.status === 'delivered')
        const path = pathOf(mine.id, delivery?.id)

        assertFailure(await callApi(scene.service.url, `POST ${path}`), 'UNAUTHORIZED')
        assertFailure(await stranger.call(`POST ${path}`), 'NOT_FOUND')
        assertFailure(await account.call(`POST ${pathOf(mine.id, missing)}`), 'NOT_FOUND')
        assertFailure(await account.call(`POST ${pathOf(missing, delivery?.id)}`), 'NOT_FOUND')
        assertFailure(await account.call(`POST ${pathOf(other.id, delivery?.id)}`), 'NOT_FOUND')
        const [untouched] = await untilDeliveries(mine.id, () => true)
        assert.equal(untouched?.attempt_number, 1)
      },

      '410: after the time its result is kept': async (t) => {
        const { account, receiver, subscribe, scrapeNow, untilDeliveries } =
          await scene.createClient(t)
        const { id } = await subscribe()
        const taskId = await scrapeNow()
        const [delivery] = await untilDeliveries(id, ([one]) => one?.status === 'delivered')
        const { db } = await scene.service.openBeside()
        const agoMs = 73 * 3_600_000
        await db.run(sql`
          update tasks set completed_at_ms = completed_at_ms - ${agoMs} where id = ${taskId}`)
        await db.run(sql`
          update deliveries set ended_at_ms = ended_at_ms - ${agoMs} where task_id = ${taskId}`)

        const answer = await account.call(`POST ${pathOf(id, delivery?.id)}`)

        assertFailure(answer, 'EXPIRED')
        assert.equal(answer.statusCode, 410)
        assert.equal(receiver.received.length, 1)
      },

      'redelivering with ids that are not UUIDs gets 422': async (t) => {
        const { account } = await scene.createClient(t)

        const answer = await account.call(`POST ${pathOf('mine', 'first')}`)

        assert.deepEqual(faultsIn(answer), [
          'path.webhook_id uuid_parsing',
          'path.delivery_id uuid_parsing',
        ])
      },
    })
  })
})
