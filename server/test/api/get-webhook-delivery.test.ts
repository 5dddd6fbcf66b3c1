import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { arrivedAt, startDeliveryScene } from '../support/delivery-scene.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { tierStoreKinds } from '../support/test-store.ts'

for (const kind of tierStoreKinds) {
  test(`${kind}: reading one delivery of a webhook`, async (t) => {
    const scene = await startDeliveryScene(t, { kind })
    const { account, receiver, ...client } = await scene.createClient(t)
    const { id } = await client.subscribe()
    receiver.behave((_received, response) => response.writeHead(503).end('come back later'))
    const jobId = await client.scrapeNow()
    const [failed] = await client.untilDeliveries(id, ([one]) => one?.status === 'failed')
    const path = `/v1/webhooks/${id}/deliveries/${failed?.id}`
    const read = async () => (await account.call(`GET ${path}`)).json()

    await t.test('a delivery has its attempts, with what the receiver answered', async () => {
      const { attempts, next_attempt_at, body: _body, ...delivery } = await read()

      assert.deepEqual({ ...delivery }, failed)
      assert.equal(delivery.job_id, jobId)
      assert.equal(next_attempt_at, null)
      assert.deepEqual(
        attempts.map(({ started_at, duration_ms, ...attempt }: Attempt) => [
          Number.isNaN(Date.parse(started_at)),
          Number.isInteger(duration_ms),
          attempt,
        ]),
        [1, 2, 3].map((number) => [
          false,
          true,
          {
            number,
            http_status: 503,
            error: 'The receiver answered 503.',
            response_excerpt: 'come back later',
          },
        ]),
      )
    })

    await t.test('its body is, to the byte, what the receiver got', async () => {
      const posted = arrivedAt(receiver, '/hook').map(({ body }) => body.toString())

      const { body } = await read()

      assert.deepEqual(posted, [body, body, body])
    })

    await t.test('a delivery of another webhook or account is not found', async () => {
      const other = await client.subscribe({ path: '/other' })
      const { account: stranger } = await scene.createClient(t)

      assertFailure(
        await account.call(`GET /v1/webhooks/${other.id}/deliveries/${failed?.id}`),
        'NOT_FOUND',
      )
      assertFailure(await account.call(`GET /v1/webhooks/${id}/deliveries/${id}`), 'NOT_FOUND')
      assertFailure(await stranger.call(`GET ${path}`), 'NOT_FOUND')
    })

    await t.test('a body whose result is no longer kept is null; the attempts remain', async () => {
      const { db } = await scene.service.openBeside()
      await db.run(sql`delete from results where task_id = ${jobId}`)

      const { body, attempts } = await read()

      assert.deepEqual([body, attempts.length], [null, 3])
    })
  })
}

interface Attempt {
  started_at: string
  duration_ms: number
}
