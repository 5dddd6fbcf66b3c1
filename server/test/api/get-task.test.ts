import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import {
  callbackPath,
  closedPortUrl,
  getStatus,
  reachingLoopback,
  scrapeNow,
  submitTask,
  unknownIds,
  untilDelivery,
  untilStatus,
  untilTask,
} from '../support/scrape-calls.ts'
import { respondWith, startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const fields = [
  'attempts',
  'callbackUrl',
  'completedAt',
  'createdAt',
  'delivery',
  'error',
  'metadata',
  'requestId',
  'startedAt',
  'status',
  'url',
]

const untried = {
  attempts: 0,
  nextAttemptAt: null,
  lastStatusCode: null,
  lastError: null,
  deliveredAt: null,
}

const once = { retries: { useRetries: false } }

onBothStores((kind, start) => {
  test(`${kind}: the status of a task`, async (t) => {
    const site = await startTestSite(t)
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const { url, createAccount } = await start(t, { environment: reachingLoopback })
    const account = await createAccount()

    await t.test('a running task is started, with a pending callback', async () => {
      const target = held.url('/processing')
      const id = await submitTask(account, { url: target, metadata: { order: 7, tags: ['a'] } })
      const request = await held.untilHeld('/processing')

      const { createdAt, startedAt, ...task } = await getStatus(account, id)
      request.answer()

      assert.match(createdAt, isoTime)
      assert.match(startedAt ?? '', isoTime)
      assert.deepEqual(task, {
        requestId: id,
        url: target,
        callbackUrl: closedPortUrl,
        status: 'processing',
        attempts: 0,
        completedAt: null,
        metadata: { order: 7, tags: ['a'] },
        error: null,
        delivery: { status: 'pending', ...untried },
      })
    })

    await t.test('a task between two attempts is processing after one attempt', async () => {
      const id = await submitTask(account, { url: held.url('/again') })
      ;(await held.untilHeld('/again')).answer(503, { 'retry-after': '1' })

      const task = await untilTask(account, id, ({ attempts }) => attempts === 1)
      ;(await held.untilHeld('/again', 2)).answer()

      assert.equal(task.status, 'processing')
      assert.equal((await untilStatus(account, id, 'completed')).attempts, 2)
    })

    await t.test('a completed and delivered task has all its times, in order', async () => {
      const callbackUrl = `${receiver.url}/delivered`
      const id = await submitTask(account, { url: site.url('/'), callbackUrl })

      const task = await untilDelivery(account, id, 'delivered')
      const { createdAt, startedAt, completedAt, delivery } = task

      assert.deepEqual(Object.keys(task).sort(), fields)
      assert.equal(task.status, 'completed')
      assert.equal(task.attempts, 1)
      assert.equal(task.metadata, null)
      assert.equal(task.error, null)
      const times = [createdAt, startedAt, completedAt, delivery?.deliveredAt]
      for (const time of times) assert.match(time ?? '', isoTime)
      assert.deepEqual(times, [...times].sort())
      assert.deepEqual(delivery, {
        status: 'delivered',
        attempts: 1,
        nextAttemptAt: null,
        lastStatusCode: 200,
        lastError: null,
        deliveredAt: delivery?.deliveredAt,
      })
    })

    await t.test('a failed callback attempt shows when the next one is due', async () => {
      const refusing = await startTestReceiver(t)
      refusing.behave(respondWith(500))
      const id = await submitTask(account, { url: site.url('/'), callbackUrl: refusing.url })

      const { status, delivery } = await untilTask(account, id, (task) =>
        Boolean(task.delivery?.attempts),
      )

      assert.equal(status, 'completed')
      assert.match(delivery?.nextAttemptAt ?? '', isoTime)
      assert.match(delivery?.lastError ?? '', /./)
      assert.deepEqual(
        { ...delivery, nextAttemptAt: '', lastError: '' },
        {
          status: 'pending',
          attempts: 1,
          nextAttemptAt: '',
          lastStatusCode: 500,
          lastError: '',
          deliveredAt: null,
        },
      )
    })

    await t.test('a failed task has the error and whether a retry may help', async () => {
      const id = await submitTask(account, { url: site.url('/reset'), configurations: once })

      const { error, attempts, completedAt } = await untilStatus(account, id, 'failed')

      assert.equal(attempts, 1)
      assert.match(completedAt ?? '', isoTime)
      assert.deepEqual(Object.keys(error ?? {}), ['code', 'message', 'retryable'])
      assert.equal(error?.code, 'TARGET_UNREACHABLE')
      assert.equal(error?.retryable, true)
    })

    await t.test('a failure that the caller opted out of has a skipped delivery', async () => {
      const target = { url: site.url('/reset'), configurations: once }
      const id = await submitTask(account, { ...target, callback_on_failure: false })

      const { delivery } = await untilStatus(account, id, 'failed')

      assert.deepEqual(delivery, { status: 'skipped', ...untried })
    })

    await t.test('a cancelled task has neither error nor callback', async () => {
      const id = await submitTask(account, { url: held.url('/cancelled') })
      await held.untilHeld('/cancelled')
      await account.call(`DELETE ${callbackPath}/${id}`)

      const task = await getStatus(account, id)

      assert.equal(task.status, 'cancelled')
      assert.match(task.startedAt ?? '', isoTime)
      assert.match(task.completedAt ?? '', isoTime)
      assert.equal(task.error, null)
      assert.deepEqual(task.delivery, { status: 'skipped', ...untried })
    })

    await t.test('a realtime task has neither callback nor delivery', async () => {
      const answer = await scrapeNow(account, { url: site.url('/'), metadata: { a: 1 } })

      const task = await getStatus(account, answer.headers['x-request-id'] ?? '')

      assert.equal(task.status, 'completed')
      assert.equal(task.callbackUrl, null)
      assert.equal(task.delivery, null)
      assert.deepEqual(task.metadata, { a: 1 })
    })

    await t.test('getting a task without credentials gets 401', async () => {
      assertFailure(await callApi(url, `GET ${callbackPath}/${unknownIds[0]}`), 'UNAUTHORIZED')
    })

    await t.test('getting an unknown task id gets 404', async () => {
      for (const id of [...unknownIds, 'x'.repeat(2000)]) {
        assertFailure(await account.call(`GET ${callbackPath}/${id}`), 'NOT_FOUND')
      }
    })
  })

  test(`${kind}: a callback that used up its attempts is a failed delivery of a completed task`, async (t) => {
    const site = await startTestSite(t)
    const { createAccount } = await start(t, {
      environment: { ...reachingLoopback, TRAWL_DELIVERY_SCHEDULE: '0s,0s' },
    })
    const account = await createAccount()
    const id = await submitTask(account, { url: site.url('/') })

    const { status, delivery } = await untilDelivery(account, id, 'failed')

    assert.equal(status, 'completed')
    assert.equal(delivery?.attempts, 2)
    assert.equal(delivery?.nextAttemptAt, null)
    assert.equal(delivery?.lastStatusCode, null)
    assert.match(delivery?.lastError ?? '', /./)
    assert.equal(delivery?.deliveredAt, null)
  })

  test(`${kind}: a task that no worker runs is queued`, async (t) => {
    const { createAccount } = await start(t, {
      environment: { ...reachingLoopback, TRAWL_ROLES: 'api' },
    })
    const account = await createAccount()
    const id = await submitTask(account, { url: 'http://target.test/' })

    const { status, startedAt, completedAt, attempts, delivery } = await getStatus(account, id)

    assert.deepEqual([status, startedAt, completedAt, attempts], ['queued', null, null, 0])
    assert.deepEqual(delivery, { status: 'pending', ...untried })
  })
})
