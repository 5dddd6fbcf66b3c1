import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { pruneTasks } from '../../src/storage/tables/tasks.ts'
import { sweepResults } from '../../src/tasks/upkeep/retention.ts'
import { type ApiResponse, callApi } from '../support/call-api.ts'
import { assertFailure, withoutCorrelationId } from '../support/error-bodies.ts'
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
import { ageTask } from '../support/task-age.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

/** Headers that must be the same in both modes. */
const sameHeaders = ['content-type', 'x-target-status', 'x-target-url', 'x-engine', 'x-attempts']

const comparable = ({ statusCode, headers, text }: ApiResponse) => ({
  statusCode,
  headers: sameHeaders.map((name) => headers[name]),
  // The target's `date` header differs between responses.
  text: text.replace(/"date":"[^"]+"/, ''),
})

const completing: Record<string, [path: string, configurations: Record<string, unknown>]> = {
  'a page': ['/page/größer', {}],
  'a missing page': ['/status/404', {}],
  'a page behind redirects': ['/chain/3', {}],
  'an encoded page in another charset': ['/charset/shift_jis?in=header', {}],
  'a minified page': ['/', { HTMLMinifier: { useMinifier: true } }],
  'an empty body': ['/empty', {}],
  JSON: ['/json', { is_json_response: true }],
  'the result object': ['/set-cookie?cookie=a%3Db', { response_format: 'json' }],
  'the result object around JSON': ['/json', { response_format: 'json', is_json_response: true }],
}

const failing: Record<string, [path: string, configurations: Record<string, unknown>]> = {
  'a connection that is reset': ['/reset', {}],
  'a page that is not JSON': ['/', { is_json_response: true }],
  'endless redirects': ['/loop', { response_format: 'json' }],
  'an unknown encoding': ['/unknown-encoding', {}],
}

onBothStores((kind, start) => {
  test(`${kind}: the result of a task`, async (t) => {
    const site = await startTestSite(t)
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const { url, createAccount } = await start(t, { environment: reachingLoopback })
    const account = await createAccount()
    const ask = (id: string) => account.call(`GET ${callbackPath}/${id}/result`)

    for (const [name, [path, options]] of Object.entries(completing)) {
      await t.test(`the result of a task equals the realtime response: ${name}`, async () => {
        const body = { url: site.url(path), configurations: options }
        const id = await submitTask(account, body)
        await untilStatus(account, id, 'completed')

        const result = await ask(id)
        const realtime = await scrapeNow(account, body)

        assert.equal(result.statusCode, 200)
        assert.deepEqual(comparable(result), comparable(realtime))
        const realtimeResult = await ask(realtime.headers['x-request-id'] ?? '')
        assert.deepEqual(comparable(realtimeResult), comparable(realtime))
      })
    }

    for (const [name, [path, options]] of Object.entries(failing)) {
      await t.test(`the result of a failed task equals the realtime error: ${name}`, async () => {
        const configurations = { ...options, retries: { maxRetries: 0 } }
        const body = { url: site.url(path), configurations }
        const id = await submitTask(account, body)
        const { error } = await untilStatus(account, id, 'failed')

        const result = await ask(id)
        const realtime = await scrapeNow(account, body)

        assert.deepEqual(withoutCorrelationId(result), withoutCorrelationId(realtime))
        assert.equal(result.json().code, error?.code)
        assert.equal(result.json().message, error?.message)
        assertFailure(result, error?.code ?? 'INTERNAL_ERROR')
      })
    }

    await t.test('the result of a task whose target timed out gets 504', async () => {
      const configurations = { retries: { useRetries: false } }
      const body = { url: held.url('/late'), timeout_ms: 1000, configurations }
      const id = await submitTask(account, body)
      await untilStatus(account, id, 'failed')

      assertFailure(await ask(id), 'TARGET_TIMEOUT')
    })

    await t.test('a callback over 8 MiB links to the result', async () => {
      const callbackUrl = `${receiver.url}/large`
      const target = site.url(`/big/${8 * 2 ** 20}`)
      const id = await submitTask(account, { url: target, callbackUrl })

      const [posted] = await receiver.arrivals(1, '/large')

      const resultUrl = `${url}${callbackPath}/${id}/result`
      assert.deepEqual(posted?.json.result, { statusCode: 200, url: target, resultUrl })
      assert.equal((await ask(id)).text.length, 8 * 2 ** 20)
    })

    await t.test('an unfinished result gets 409 CONFLICT, a cancelled one CANCELLED', async () => {
      const id = await submitTask(account, { url: held.url('/open') })
      await held.untilHeld('/open')

      assertFailure(await ask(id), 'CONFLICT')
      await account.call(`DELETE ${callbackPath}/${id}`)
      assertFailure(await ask(id), 'CANCELLED')
    })

    await t.test('getting a result without credentials gets 401', async () => {
      const answer = await callApi(url, `GET ${callbackPath}/${unknownIds[0]}/result`)

      assertFailure(answer, 'UNAUTHORIZED')
    })

    await t.test('getting the result of an unknown task id gets 404', async () => {
      for (const id of unknownIds) assertFailure(await ask(id), 'NOT_FOUND')
    })
  })

  test(`${kind}: an expired result`, async (t) => {
    const site = await startTestSite(t)
    const receiver = await startTestReceiver(t)
    const environment = { ...reachingLoopback, TRAWL_DELIVERY_SCHEDULE: '0s,100h' }
    const service = await start(t, { environment })
    const account = await service.createAccount()
    const { db } = await service.openBeside()
    const ask = (id: string) => account.call(`GET ${callbackPath}/${id}/result`)
    const callbackUrl = `${receiver.url}/callback`

    await t.test('a result gets 410 EXPIRED after 72 hours, its task stays', async () => {
      const id = await submitTask(account, { url: site.url('/'), callbackUrl })
      await untilDelivery(account, id, 'delivered')
      await ageTask(db, id, 71.9)
      assert.equal((await ask(id)).statusCode, 200)

      await ageTask(db, id, 0.2)

      assertFailure(await ask(id), 'EXPIRED')
      assertFailure(await account.call(`POST ${callbackPath}/${id}/redeliver`), 'EXPIRED')
      const { status, delivery } = await getStatus(account, id)
      assert.deepEqual([status, delivery?.status], ['completed', 'delivered'])
    })

    await t.test('results of failed and of realtime tasks get 410 EXPIRED too', async () => {
      const configurations = { retries: { useRetries: false } }
      const failing = { url: site.url('/reset'), configurations }
      const failed = await submitTask(account, { ...failing, callbackUrl })
      const { headers } = await scrapeNow(account, { url: site.url('/') })
      await untilDelivery(account, failed, 'delivered')

      for (const id of [failed, headers['x-request-id'] ?? '']) {
        await ageTask(db, id, 72.1)
        assertFailure(await ask(id), 'EXPIRED')
      }
    })

    await t.test('the result of a cancelled task stays CANCELLED after 72 hours', async () => {
      const id = await submitTask(account, { url: site.url('/silent') })
      await account.call(`DELETE ${callbackPath}/${id}`)
      await ageTask(db, id, 72.1)

      assertFailure(await ask(id), 'CANCELLED')
    })

    await t.test('a pending callback keeps the result from expiring', async () => {
      const id = await submitTask(account, { url: site.url('/'), callbackUrl: closedPortUrl })
      await untilStatus(account, id, 'completed')
      await ageTask(db, id, 1000)

      assert.equal((await ask(id)).statusCode, 200)
      assert.equal((await account.call(`POST ${callbackPath}/${id}/redeliver`)).statusCode, 202)
    })

    await t.test('the sweep removes expired results without a pending callback', async () => {
      const swept = await submitTask(account, { url: site.url('/'), callbackUrl })
      const kept = await submitTask(account, { url: site.url('/'), callbackUrl: closedPortUrl })
      await untilDelivery(account, swept, 'delivered')
      await untilStatus(account, kept, 'completed')
      for (const id of [swept, kept]) await ageTask(db, id, 1000)

      await sweepResults(db, db.nowMs() - 72 * 3_600_000)

      assertFailure(await ask(swept), 'EXPIRED')
      assert.equal((await getStatus(account, swept)).status, 'completed')
      assert.equal((await account.call(`GET /v1/extract/${swept}`)).json().data, null)
      assert.equal((await ask(kept)).statusCode, 200)
      const blobs = await db.run(
        sql`select owner_id from blobs where owner_id in (${swept}, ${kept})`,
      )
      assert.deepEqual(blobs, [{ owner_id: kept }])
    })

    await t.test('a task is pruned only after its result', async () => {
      const id = await submitTask(account, { url: site.url('/'), callbackUrl })
      await untilDelivery(account, id, 'delivered')
      const prune = () => db.run(pruneTasks({ idBefore: 'ffffffff', tasksMax: 1000 }))
      const isPruned = async () => (await prune()).some((pruned) => pruned.id === id)

      assert.equal(await isPruned(), false)
      await ageTask(db, id, 1000)
      await sweepResults(db, db.nowMs() - 72 * 3_600_000)

      assert.equal(await isPruned(), true)
      assertFailure(await ask(id), 'NOT_FOUND')
    })

    await t.test('the 72 hours start at the end of the last delivery', async () => {
      const again = `${receiver.url}/again`
      const id = await submitTask(account, { url: site.url('/'), callbackUrl: again })
      await untilDelivery(account, id, 'delivered')
      await ageTask(db, id, 71)

      await account.call(`POST ${callbackPath}/${id}/redeliver`)
      await untilTask(account, id, ({ delivery }) => delivery?.attempts === 2)
      await ageTask(db, id, 71)

      assert.equal((await ask(id)).statusCode, 200)
      await ageTask(db, id, 2)
      assertFailure(await ask(id), 'EXPIRED')
    })
  })
})
