/** Admission control: when new work is refused, with which error, and that nothing else suffers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { type HoldingSite, startHoldingSite } from '../support/holding-site.ts'
import {
  callbackPath,
  closedPortUrl,
  reachingLoopback,
  realtimePath,
  scrapeNow,
  submitTask,
  untilDelivery,
  untilStatus,
} from '../support/scrape-calls.ts'
import { startStallingProxy } from '../support/stalling-proxy.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import {
  onBothStores,
  serviceEnvironment,
  startTestService,
  type TestAccount,
  type TestService,
} from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

/** Submits without retrying, since these tests expect the refusal. */
const submit = (account: TestAccount, held: HoldingSite, path: string) =>
  account.callWithoutRetry(`POST ${callbackPath}`, {
    url: held.url(path),
    callbackUrl: closedPortUrl,
  })

const pressureOf = async ({ url }: TestService) => (await callApi(url, 'GET /pressure')).json()

onBothStores((kind, start) => {
  test(`${kind}: an account with a full queue gets QUEUE_FULL, other accounts do not`, async (t) => {
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const environment = { ...reachingLoopback, TRAWL_ACCOUNT_QUEUE_MAX: '5' }
    const service = await start(t, { environment })
    const [many, few] = [await service.createAccount(), await service.createAccount()]
    const ended = await submitTask(many, {
      url: held.url('/ended'),
      callbackUrl: `${receiver.url}/callback`,
    })
    ;(await held.untilHeld('/ended')).answer()
    await untilDelivery(many, ended, 'delivered')

    const paths = Array.from({ length: 30 }, (_, index) => `/${index}`)
    const answers = await Promise.all(paths.map((path) => submit(many, held, path)))
    const accepted = answers.filter(({ statusCode }) => statusCode === 202)
    const refused = answers.filter(({ statusCode }) => statusCode !== 202)

    assert.equal(accepted.length, 5)
    for (const answer of refused) assertFailure(answer, 'QUEUE_FULL')
    assertFailure(await scrapeNow(many, { url: held.url('/now') }), 'QUEUE_FULL')
    assert.equal((await submit(few, held, '/few')).statusCode, 202)
    const redelivered = await many.call(`POST ${callbackPath}/${ended}/redeliver`)
    assert.equal(redelivered.statusCode, 202)
    const { db } = await service.openBeside()
    const [tasks] = await db.run(sql<{ kept: number }>`select count(*) as kept from tasks`)
    assert.equal(tasks?.kept, 7)
    const metrics = await callApi(service.url, 'GET /metrics')
    assert.match(metrics.text, /^trawl_admission_rejected_total\{code="QUEUE_FULL"\} 26$/m)

    const place = answers.findIndex(({ statusCode }) => statusCode === 202)
    ;(await held.untilHeld(`/${place}`)).answer()
    await untilStatus(many, answers[place]?.json().requestId, 'completed')
    assert.equal((await submit(many, held, '/again')).statusCode, 202)
  })

  test(`${kind}: a repeated idempotency key is replayed although the queue is full`, async (t) => {
    const held = await startHoldingSite(t)
    const service = await start(t, { environment: { ...reachingLoopback, TRAWL_QUEUE_MAX: '1' } })
    const account = await service.createAccount()
    const body = { url: held.url('/first'), callbackUrl: closedPortUrl }
    const ask = (key: string) =>
      callApi(service.url, `POST ${callbackPath}`, {
        headers: { 'x-api-key': account.apiKey, 'idempotency-key': key },
        body,
      })

    const first = await ask('the key')
    const again = await ask('the key')

    assert.equal(first.statusCode, 202)
    assert.equal(again.statusCode, 202)
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal(again.json().requestId, first.json().requestId)
    assertFailure(await ask('another key'), 'QUEUE_FULL')
  })

  test(`${kind}: the queue limit applies to all accounts and survives a restart`, async (t) => {
    const held = await startHoldingSite(t)
    const { place } = await createTestStore(t, kind)
    const environment = {
      ...serviceEnvironment(place),
      ...reachingLoopback,
      TRAWL_QUEUE_MAX: '3',
      TRAWL_ROLES: 'api',
    }
    const first = await startTestService(t, { environment })
    const account = await first.createAccount()
    for (const path of ['/1', '/2', '/3']) await submitTask(account, { url: held.url(path) })

    // A process that starts later counts the tasks that are already in the store.
    const second = await startTestService(t, { environment })
    await until(async () => !(await pressureOf(second)).accepting)
    const headers = { 'x-api-key': account.apiKey }
    const body = { url: held.url('/4'), callbackUrl: closedPortUrl }
    const asked = { headers, body }

    assertFailure(await submit(account, held, '/4'), 'QUEUE_FULL')
    assertFailure(await callApi(second.url, `POST ${callbackPath}`, asked), 'QUEUE_FULL')
  })
})

test('without free memory new work is refused before its body is read, all else goes on', async (t) => {
  const held = await startHoldingSite(t)
  const environment = { ...reachingLoopback, TRAWL_MEMORY_MAX: '1mb' }
  const service = await startTestService(t, { environment })
  const account = await service.createAccount()
  await until(async () => !(await pressureOf(service)).accepting)

  assertFailure(await submit(account, held, '/1'), 'OVERLOADED')
  assertFailure(await account.callWithoutRetry(`POST ${callbackPath}`, '{"broken'), 'OVERLOADED')
  assertFailure(
    await account.callWithoutRetry(`POST ${realtimePath}`, { url: held.url('/2') }),
    'OVERLOADED',
  )
  assert.equal((await account.call(`GET ${callbackPath}`)).statusCode, 200)
  assert.equal((await account.call('GET /v1/webhooks')).statusCode, 200)
  for (const path of ['/livez', '/readyz', '/health', '/metrics']) {
    assert.equal((await fetch(service.url + path)).status, 200)
  }
  assert.equal((await pressureOf(service)).code, 'OVERLOADED')
})

test('an overloaded event loop refuses new work until it is on time again', async (t) => {
  const held = await startHoldingSite(t)
  const service = await startTestService(t, { environment: reachingLoopback })
  const account = await service.createAccount()

  await until(async () => {
    const blockedUntilMs = performance.now() + 250
    while (performance.now() < blockedUntilMs);
    return !(await pressureOf(service)).accepting
  })

  assertFailure(await submit(account, held, '/1'), 'OVERLOADED')
  await until(async () => (await pressureOf(service)).accepting)
  assert.equal((await submit(account, held, '/2')).statusCode, 202)
})

test('while the store does not respond new work is refused at once, and accepted again after', async (t) => {
  const held = await startHoldingSite(t)
  const { place } = await createTestStore(t, 'postgres')
  const url = new URL(place.url ?? '')
  const proxy = await startStallingProxy(Number(url.port))
  t.after(() => proxy[Symbol.asyncDispose]())
  const direct = { ...serviceEnvironment(place), ...reachingLoopback }
  url.port = String(proxy.port)
  const service = await startTestService(t, {
    environment: { ...direct, TRAWL_DATABASE_URL: url.href },
  })
  const account = await service.createAccount()
  assert.equal((await submit(account, held, '/1')).statusCode, 202)

  proxy.stall()
  const patientMs = msUntil(submit(account, held, '/patient'))
  await until(async () => !(await pressureOf(service)).accepting)

  const refusal = submit(account, held, '/2')
  const refusedMs = await msUntil(refusal)
  assertFailure(await refusal, 'STORE_UNAVAILABLE')
  // Whoever asked before it was known had to wait for the store.
  assert.ok(refusedMs < (await patientMs), `${refusedMs} ms`)
  assert.equal((await fetch(`${service.url}/livez`)).status, 200)

  proxy.resume()
  await until(async () => (await pressureOf(service)).accepting)
  await until(async () => (await submit(account, held, '/3')).statusCode === 202)
})

async function msUntil(settled: Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now()
  await settled
  return performance.now() - startedAtMs
}
