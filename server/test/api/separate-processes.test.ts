import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import {
  callbackPath,
  getStatus,
  reachingLoopback,
  realtimePath,
  scrapeNow,
  submitTask,
  untilDelivery,
  untilStatus,
} from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { serviceEnvironment, startTestService } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

/** Starts one service for each role on one store; they must notify each other. */
async function startRoles(t: TestContext) {
  const { place } = await createTestStore(t, 'postgres')
  const environment = { ...serviceEnvironment(place), ...reachingLoopback }
  for (const role of ['worker', 'delivery']) {
    await startTestService(t, { environment: { ...environment, TRAWL_ROLES: role } })
  }
  return startTestService(t, { environment: { ...environment, TRAWL_ROLES: 'api' } })
}

test('services with one role each work together', async (t) => {
  const site = await startTestSite(t)
  const held = await startHoldingSite(t)
  const receiver = await startTestReceiver(t)
  const service = await startRoles(t)
  const account = await service.createAccount()

  await t.test('a realtime caller waits in the API for a page of the worker', async () => {
    const page = await scrapeNow(account, { url: site.url('/page/cod') })
    const configurations = { retries: { useRetries: false } }
    const failure = await scrapeNow(account, { url: site.url('/reset'), configurations })

    assert.equal(page.text, '<p>cod</p>')
    assert.equal(page.headers['x-attempts'], '1')
    assertFailure(failure, 'TARGET_UNREACHABLE')
  })

  await t.test('the operator sees each process with the lanes that it works on', async () => {
    const headers = { 'x-api-key': service.credentials?.apiKey ?? '' }
    const { processes } = (await callApi(service.url, 'GET /v1/system', { headers })).json()

    const lanesOf = ({ lanes }: { lanes: { lane: string }[] }) => lanes.map(({ lane }) => lane)
    assert.deepEqual(processes.map(lanesOf), [['http'], ['delivery'], []])
    assert.deepEqual(
      processes.map(({ is_this }: { is_this: boolean }) => is_this),
      [false, false, true],
    )
  })

  await t.test('the delivery process sends the callback', async () => {
    const callbackUrl = `${receiver.url}/callback`
    const id = await submitTask(account, { url: site.url('/page/cod'), callbackUrl })

    const [posted] = await receiver.arrivals(1, '/callback')

    assert.equal(posted?.json.requestId, id)
    assert.equal(posted?.json.result.html, '<p>cod</p>')
    await untilDelivery(account, id, 'delivered')
    await account.call(`POST ${callbackPath}/${id}/redeliver`)
    await receiver.arrivals(2, '/callback')
  })

  await t.test("cancelling in the API aborts the worker's fetch at once", async () => {
    const id = await submitTask(account, { url: held.url('/cancelled') })
    const request = await held.untilHeld('/cancelled')

    const answer = await account.call(`DELETE ${callbackPath}/${id}`)

    assert.equal(answer.statusCode, 202)
    await until(() => request.isLeft())
    assert.equal((await getStatus(account, id)).status, 'cancelled')
  })

  await t.test("a caller who disconnects from the API aborts the worker's fetch", async () => {
    const controller = new AbortController()
    const answered = fetch(service.url + realtimePath, {
      method: 'POST',
      headers: { 'x-api-key': account.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ url: held.url('/hung-up') }),
      signal: controller.signal,
    }).catch(() => undefined)
    const request = await held.untilHeld('/hung-up')
    const { items } = (await account.call(`GET ${callbackPath}?status=processing`)).json()

    controller.abort()
    await answered

    await until(() => request.isLeft())
    await untilStatus(account, items[0].requestId, 'cancelled')
  })
})
