import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import {
  callbackPath,
  getStatus,
  reachingLoopback,
  realtimePath,
  submitTask,
  unknownIds,
  untilDelivery,
  untilStatus,
  untilTask,
} from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { until } from '../support/until.ts'

const once = { retries: { useRetries: false } }

onBothStores((kind, start) => {
  test(`${kind}: cancelling a task`, async (t) => {
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const { url, createAccount } = await start(t, { environment: reachingLoopback })
    const account = await createAccount()
    const cancel = (id: string) => account.call(`DELETE ${callbackPath}/${id}`)

    await t.test('cancelling a running task gets 202, aborts its fetch and ends it', async () => {
      const id = await submitTask(account, { url: held.url('/running') })
      const request = await held.untilHeld('/running')

      const answer = await cancel(id)

      assert.equal(answer.statusCode, 202)
      assert.deepEqual(answer.json(), await getStatus(account, id))
      assert.equal(answer.json().status, 'cancelled')
      await until(() => request.isLeft())
      assert.equal(held.heldAt('/running').length, 1)
    })

    await t.test('cancelling sends no callback but a webhook event', async () => {
      const webhook = { url: `${receiver.url}/hook`, event_type: 'extract_completed' }
      const { id: webhookId } = (await account.call('POST /v1/webhooks', webhook)).json()
      const callbackUrl = `${receiver.url}/callback`
      const id = await submitTask(account, { url: held.url('/told'), callbackUrl })
      await held.untilHeld('/told')

      await cancel(id)
      const [event] = await receiver.arrivals(1, '/hook')
      const after = await submitTask(account, { url: held.url('/after'), callbackUrl })
      ;(await held.untilHeld('/after')).answer()
      const calledBack = await receiver.arrivals(1, '/callback')
      await account.call(`DELETE /v1/webhooks/${webhookId}`)

      assert.equal(event?.json.data.job_id, id)
      assert.equal(event?.json.data.status, 'cancelled')
      assert.deepEqual(
        calledBack.map(({ json }) => json.requestId),
        [after],
      )
      assert.equal((await getStatus(account, id)).delivery?.status, 'skipped')
    })

    await t.test('a task cancelled between two attempts is not fetched again', async () => {
      const id = await submitTask(account, { url: held.url('/between') })
      ;(await held.untilHeld('/between')).answer(503, { 'retry-after': '1' })
      await untilTask(account, id, ({ attempts }) => attempts === 1)

      const answer = await cancel(id)
      const later = await submitTask(account, { url: held.url('/later') })
      ;(await held.untilHeld('/later')).answer(503, { 'retry-after': '1' })
      ;(await held.untilHeld('/later', 2)).answer()
      await untilStatus(account, later, 'completed')

      assert.equal(answer.json().status, 'cancelled')
      assert.equal(answer.json().attempts, 1)
      assert.equal(held.heldAt('/between').length, 1)
    })

    await t.test('a realtime caller whose task is cancelled gets CANCELLED', async () => {
      const scraped = account.call(`POST ${realtimePath}`, { url: held.url('/awaited') })
      await held.untilHeld('/awaited')
      const { items } = (await account.call(`GET ${callbackPath}?status=processing`)).json()

      const answer = await cancel(items[0].requestId)

      assert.equal(answer.statusCode, 202)
      const body = assertFailure(await scraped, 'CANCELLED')
      assert.equal(body['correlation_id'], items[0].requestId)
    })

    await t.test('cancelling a completed, failed or cancelled task gets 409', async () => {
      const failing = { url: held.url('/failed'), configurations: once }
      const [completed, failed, cancelled] = [
        await submitTask(account, { url: held.url('/completed') }),
        await submitTask(account, failing),
        await submitTask(account, { url: held.url('/cancelled') }),
      ]
      ;(await held.untilHeld('/completed')).answer()
      ;(await held.untilHeld('/failed')).answer(200, { 'content-encoding': 'rot13' })
      await cancel(cancelled)
      await untilStatus(account, completed, 'completed')
      await untilStatus(account, failed, 'failed')

      for (const id of [completed, failed, cancelled]) {
        const before = await getStatus(account, id)
        assertFailure(await cancel(id), 'CONFLICT')
        const { delivery, ...after } = await getStatus(account, id)
        assert.deepEqual({ ...after, delivery: before.delivery }, before)
      }
    })

    await t.test('of ten concurrent cancellations one gets 202 and the others 409', async () => {
      const id = await submitTask(account, { url: held.url('/many') })
      await held.untilHeld('/many')

      const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(id)))

      const statuses = answers.map(({ statusCode }) => statusCode).sort()
      assert.deepEqual(statuses, [202, ...Array.from({ length: 9 }, () => 409)])
    })

    await t.test('cancelling without credentials gets 401, and the task goes on', async () => {
      const id = await submitTask(account, { url: held.url('/guarded') })

      assertFailure(await callApi(url, `DELETE ${callbackPath}/${id}`), 'UNAUTHORIZED')
      ;(await held.untilHeld('/guarded')).answer()
      await untilStatus(account, id, 'completed')
    })

    await t.test('cancelling an unknown task id gets 404', async () => {
      for (const id of unknownIds) assertFailure(await cancel(id), 'NOT_FOUND')
    })
  })

  test(`${kind}: a queued task that is cancelled is never fetched`, async (t) => {
    const held = await startHoldingSite(t)
    const environment = { ...reachingLoopback, TRAWL_HTTP_CONCURRENCY: '1' }
    const { createAccount } = await start(t, { environment })
    const account = await createAccount()
    const running = await submitTask(account, { url: held.url('/first') })
    const first = await held.untilHeld('/first')
    const queued = await submitTask(account, { url: held.url('/queued') })
    const next = await submitTask(account, { url: held.url('/next') })
    assert.equal((await getStatus(account, queued)).status, 'queued')

    const answer = await account.call(`DELETE ${callbackPath}/${queued}`)
    first.answer()
    ;(await held.untilHeld('/next')).answer()
    await untilStatus(account, next, 'completed')

    assert.equal(answer.statusCode, 202)
    assert.equal(answer.json().status, 'cancelled')
    assert.equal(answer.json().startedAt, null)
    assert.equal((await getStatus(account, running)).status, 'completed')
    assert.deepEqual(held.heldAt('/queued'), [])
  })

  test(`${kind}: a cancelled task sends no callback, whenever it was cancelled`, async (t) => {
    const site = await startTestSite(t)
    const receiver = await startTestReceiver(t)
    const { createAccount } = await start(t, { environment: reachingLoopback })
    const account = await createAccount()
    const callbackUrl = `${receiver.url}/callback`

    // Some are cancelled before they start, some while they run, some too late.
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const id = await submitTask(account, { url: site.url('/page/x'), callbackUrl })
        for (let step = 0; step < index % 6; step++) await getStatus(account, id)
        const { statusCode } = await account.call(`DELETE ${callbackPath}/${id}`)
        return { id, isCancelled: statusCode === 202 }
      }),
    )
    const completed = outcomes.filter(({ isCancelled }) => !isCancelled).map(({ id }) => id)
    for (const id of completed) await untilDelivery(account, id, 'delivered')

    for (const { id, isCancelled } of outcomes) {
      const { status, delivery } = await getStatus(account, id)
      const expected = isCancelled ? ['cancelled', 'skipped'] : ['completed', 'delivered']
      assert.deepEqual([status, delivery?.status], expected)
    }
    const calledBack = receiver.received.map(({ json }) => json.requestId)
    assert.deepEqual(calledBack.sort(), completed.sort())
  })
})
