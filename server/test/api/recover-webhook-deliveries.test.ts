import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sortableId } from '../../src/runtime/sortable-id.ts'
import { sql } from '../../src/storage/statement.ts'
import { insertDelivery } from '../../src/storage/tables/deliveries.ts'
import { callApi } from '../support/call-api.ts'
import {
  type DeliveryClient,
  type DeliveryScene,
  runConcurrently,
  startDeliveryScene,
} from '../support/delivery-scene.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { holdRequests, respondWith } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const longAgo = { since: '2020-01-01T00:00:00Z' }

onBothStores((kind) => {
  test(`${kind}: recovering the deliveries of a webhook`, { concurrency: true }, async (t) => {
    const scene = await startDeliveryScene(t, { kind })

    await runConcurrently(t, {
      'recovery sends each failed or skipped delivery once': async (t) => {
        const client = await scene.createClient(t)
        const { account, receiver, subscribe, scrapeNow, patch, untilDeliveries } = client
        const { id } = await subscribe()
        await scrapeNow()
        await untilDeliveries(id, ([one]) => one?.status === 'delivered')
        receiver.behave(respondWith(500))
        const failed = await scrapeNow()
        await untilDeliveries(id, ([one]) => one?.status === 'failed')
        await patch(id, { is_active: false })
        const skipped = await scrapeNow()
        await untilDeliveries(id, ([one]) => one?.status === 'skipped')
        receiver.behave(respondWith(200))
        const before = receiver.received.length
        await patch(id, { is_active: true })

        const answer = await account.call(`POST /v1/webhooks/${id}/recover`, longAgo)

        assert.equal(answer.statusCode, 202)
        assert.deepEqual(answer.json(), { recovered: 2 })
        const listed = await untilDeliveries(id, (all) =>
          all.every(({ status }) => status === 'delivered'),
        )
        assert.deepEqual(
          listed.map(({ attempt_number }) => attempt_number),
          [1, 4, 1],
        )
        const arrived = receiver.received.slice(before).map(({ json }) => json.data.job_id)
        assert.deepEqual(arrived.sort(), [failed, skipped].sort())
        const again = await account.call(`POST /v1/webhooks/${id}/recover`, longAgo)
        assert.deepEqual(again.json(), { recovered: 0 })
      },

      'recovery takes only deliveries since the given time, in any time zone': async (t) => {
        const client = await scene.createClient(t)
        const { account, receiver, subscribe, scrapeNow, patch, untilDeliveries } = client
        const { id } = await subscribe()
        await patch(id, { is_active: false })
        await scrapeNow()
        const late = await scrapeNow()
        const [newest, oldest] = await untilDeliveries(id, ({ length }) => length === 2)
        const { db } = await scene.service.openBeside()
        await db.run(sql`
          update deliveries set created_at_ms = created_at_ms - ${3_600_000}
          where id = ${oldest?.id ?? ''}`)
        const sinceMs = Date.parse(newest?.created_at ?? '')
        const since = new Date(sinceMs + 7_200_000).toISOString().replace('Z', '+02:00')

        const answer = await account.call(`POST /v1/webhooks/${id}/recover`, { since })

        assert.deepEqual(answer.json(), { recovered: 1 })
        const [event] = await receiver.arrivals(1)
        assert.equal(event?.json.data.job_id, late)
      },

      'a second recovery during the first sends each delivery once': async (t) => {
        const client = await scene.createClient(t)
        const { account, receiver, subscribe, scrapeNow, patch, untilDeliveries } = client
        const { id } = await subscribe()
        await patch(id, { is_active: false })
        await scrapeNow()
        await untilDeliveries(id, ([one]) => one?.status === 'skipped')
        const held = holdRequests()
        receiver.behave(held.behaviour)

        const first = await account.call(`POST /v1/webhooks/${id}/recover`, longAgo)
        const second = await account.call(`POST /v1/webhooks/${id}/recover`, longAgo)

        assert.deepEqual([first.json().recovered, second.json().recovered], [1, 0])
        await receiver.arrivals(1)
        held.release(200)
        const [listed] = await untilDeliveries(id, ([one]) => one?.status === 'delivered')
        assert.equal(listed?.attempt_number, 1)
      },

      'two concurrent recoveries send each delivery once': async (t) => {
        const client = await scene.createClient(t)
        const { account, receiver, subscribe, untilDeliveries } = client
        const { id } = await subscribe()
        const missed = await missMany(scene, client, id)

        const answers = await Promise.all(
          [1, 2, 3].map(() => account.call(`POST /v1/webhooks/${id}/recover`, longAgo)),
        )

        await receiver.arrivals(missed.length)
        await untilNothingToSend(scene, id)
        const arrived = receiver.received.map(({ headers }) => headers['webhook-id'])
        assert.deepEqual(arrived.sort(), missed)
        const counts = answers.map((answer): number => answer.json().recovered)
        const recovered = counts.reduce((sum, count) => sum + count)
        assert.equal(recovered, missed.length)
        const listed = await untilDeliveries(id, ({ length }) => length > 0)
        assert.ok(listed.every((one) => one.status === 'delivered' && one.attempt_number === 1))
      },

      'recovery leaves out deliveries whose result has expired': async (t) => {
        const client = await scene.createClient(t)
        const { account, subscribe, scrapeNow, patch, untilDeliveries } = client
        const { id } = await subscribe()
        await patch(id, { is_active: false })
        const taskId = await scrapeNow()
        await untilDeliveries(id, ([one]) => one?.status === 'skipped')
        const { db } = await scene.service.openBeside()
        await db.run(sql`delete from results where task_id = ${taskId}`)

        const answer = await account.call(`POST /v1/webhooks/${id}/recover`, longAgo)

        assert.deepEqual(answer.json(), { recovered: 0 })
      },

      'recovery without credentials gets 401': async (t) => {
        const { subscribe } = await scene.createClient(t)
        const { id } = await subscribe()
        const request = `POST /v1/webhooks/${id}/recover`

        assertFailure(await callApi(scene.service.url, request, { body: longAgo }), 'UNAUTHORIZED')
      },

      "recovery of an unknown webhook id or another account's gets 404": async (t) => {
        const { subscribe } = await scene.createClient(t)
        const { account: stranger } = await scene.createClient(t)
        const { id } = await subscribe()

        for (const missing of [id, '11111111-1111-1111-1111-111111111111']) {
          const answer = await stranger.call(`POST /v1/webhooks/${missing}/recover`, longAgo)
          assertFailure(answer, 'NOT_FOUND')
        }
      },

      'recovery without a time or with an invalid one gets 422': async (t) => {
        const { account, subscribe } = await scene.createClient(t)
        const { id } = await subscribe()
        const path = `/v1/webhooks/${id}/recover`

        assert.deepEqual(faultsIn(await account.call(`POST ${path}`, {})), ['body.since missing'])
        for (const since of ['yesterday', '2026-01-01', '2026-01-01T00:00:00', 5, null]) {
          const answer = await account.call(`POST ${path}`, { since })
          assert.match(faultsIn(answer).join(), /^body\.since /, String(since))
        }
      },
    })
  })
})

/** Skips more deliveries than one batch enqueues; returns their sorted ids. */
async function missMany(
  { service }: DeliveryScene,
  { patch, scrapeNow, untilDeliveries }: DeliveryClient,
  webhookId: string,
): Promise<string[]> {
  await patch(webhookId, { is_active: false })
  await scrapeNow()
  const [first] = await untilDeliveries(webhookId, ([one]) => one?.status === 'skipped')
  const { db } = await service.openBeside()
  const [row] = await db.run(sql<{ account_id: string }>`
    select account_id from deliveries where id = ${first?.id ?? ''}`)
  const copies = Array.from({ length: 450 }, () => ({
    id: sortableId(),
    accountId: row?.account_id ?? '',
    subject: { kind: 'task', id: first?.job_id ?? '' } as const,
    webhook: { id: webhookId, eventType: 'extract_completed' as const },
    createdAtMs: Date.parse(first?.created_at ?? ''),
    state: 'skipped' as const,
  }))
  await db.transaction(copies.map(insertDelivery))
  return [first?.id ?? '', ...copies.map(({ id }) => id)].sort()
}

async function untilNothingToSend({ service }: DeliveryScene, webhookId: string): Promise<void> {
  const { db } = await service.openBeside()
  const entries = sql<{ id: string }>`
    select queue_entries.id from queue_entries
    join deliveries on deliveries.id = work_id
    where webhook_id = ${webhookId}`
  await until(async () => (await db.run(entries)).length === 0)
}
