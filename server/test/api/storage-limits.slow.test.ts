/** A disk that fills up, and an account that exceeds its storage limit. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import {
  callbackPath,
  reachingLoopback,
  realtimePath,
  submitTask,
  untilDelivery,
  untilStatus,
} from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import {
  serviceEnvironment,
  startTestService,
  type TestAccount,
  type TestService,
} from '../support/test-service.ts'
import { createTestStore, type StoreKind, tierStoreKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const kibibyte = 1024

/** A minimum of free space that the disk cannot meet, whatever other processes write or remove. */
async function moreThanFree(folder: string): Promise<string> {
  const { blocks, bsize } = await statfs(folder)
  return `${blocks * bsize}b`
}

/** Serves a page of that size at every path. */
async function startPageSite(t: TestContext, pageBytes: number): Promise<{ url: string }> {
  const page = `<p>${'x'.repeat(pageBytes)}</p>`
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(page)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Starts several services on one store. */
async function oneStore(t: TestContext, kind: StoreKind) {
  const { place } = await createTestStore(t, kind)
  const start = (environment: Record<string, string>) =>
    startTestService(t, {
      kind,
      environment: { ...serviceEnvironment(place), ...reachingLoopback, ...environment },
    })
  return { dataDir: place.dataDir, start }
}

const callAs = (service: TestService, account: TestAccount) => (request: string, body?: unknown) =>
  callApi(service.url, request, { headers: { 'x-api-key': account.apiKey }, body })

const refusedWith = async (service: TestService) =>
  (await callApi(service.url, 'GET /pressure')).json().code

for (const kind of tierStoreKinds) {
  test(`${kind}: below the free space asked for new work gets STORE_FULL, accepted work is finished`, async (t) => {
    const receiver = await startTestReceiver(t)
    const held = await startHoldingSite(t)
    const { dataDir, start } = await oneStore(t, kind)
    const accepting = await start({ TRAWL_ROLES: 'api' })
    const account = await accepting.createAccount()
    const id = await submitTask(account, { url: held.url('/1'), callbackUrl: `${receiver.url}/x` })

    const full = await start({ TRAWL_DISK_FREE_MIN: await moreThanFree(dataDir) })
    await until(async () => (await refusedWith(full)) === 'STORE_FULL')
    const call = callAs(full, account)
    const body = { url: held.url('/2'), callbackUrl: `${receiver.url}/x` }

    assertFailure(await call(`POST ${callbackPath}`, body), 'STORE_FULL')
    assertFailure(await call(`POST ${realtimePath}`, { url: held.url('/2') }), 'STORE_FULL')
    assert.equal((await call(`GET ${callbackPath}`)).statusCode, 200)
    assert.equal((await callApi(full.url, 'GET /readyz')).statusCode, 200)
    assert.equal((await callApi(full.url, 'GET /health')).json().status, 'degraded')
    ;(await held.untilHeld('/1')).answer()
    await untilDelivery(account, id, 'delivered')
    assert.equal((await call(`GET ${callbackPath}/${id}/result`)).statusCode, 200)
  })

  test(`${kind}: an account over its storage limit loses its oldest results, other accounts none`, async (t) => {
    const site = await startPageSite(t, 64 * kibibyte)
    const receiver = await startTestReceiver(t)
    const { start } = await oneStore(t, kind)
    const service = await start({})
    const [many, few] = [await service.createAccount(), await service.createAccount()]
    const scrape = async (account: TestAccount) => {
      const body = { url: `${site.url}/page`, callbackUrl: `${receiver.url}/x` }
      const id = await submitTask(account, body)
      await untilDelivery(account, id, 'delivered')
      return id
    }
    const ofFew = await scrape(few)
    const ids = [await scrape(many), await scrape(many), await scrape(many)]

    const limited = await start({ TRAWL_ACCOUNT_STORAGE_MAX: '150kb' })
    const statusOf = async (account: TestAccount, id = '') =>
      (await callAs(limited, account)(`GET ${callbackPath}/${id}/result`)).statusCode
    await until(async () => (await statusOf(many, ids[0])) === 410)

    assert.equal(await statusOf(many, ids[1]), 200)
    assert.equal(await statusOf(many, ids[2]), 200)
    assert.equal(await statusOf(few, ofFew), 200)
    const again = `POST ${callbackPath}/${ids[0]}/redeliver`
    assertFailure(await callAs(limited, many)(again), 'EXPIRED')
    assert.equal((await callAs(limited, many)(`GET ${callbackPath}/${ids[0]}`)).statusCode, 200)
    const more = { url: `${site.url}/page`, callbackUrl: `${receiver.url}/x` }
    assert.equal((await callAs(limited, many)(`POST ${callbackPath}`, more)).statusCode, 202)
  })

  test(`${kind}: results with pending deliveries are kept, and the account's new work gets STORE_FULL`, async (t) => {
    const site = await startPageSite(t, 64 * kibibyte)
    const { start } = await oneStore(t, kind)
    const service = await start({})
    const [many, few] = [await service.createAccount(), await service.createAccount()]
    const ids = [
      await submitTask(many, { url: `${site.url}/page` }),
      await submitTask(many, { url: `${site.url}/page` }),
    ]
    for (const id of ids) await untilStatus(many, id, 'completed')

    const limited = await start({ TRAWL_ACCOUNT_STORAGE_MAX: '100kb' })
    const submit = (account: TestAccount) =>
      callAs(limited, account)(`POST ${callbackPath}`, {
        url: `${site.url}/page`,
        callbackUrl: `${site.url}/x`,
      })
    await until(async () => (await submit(many)).statusCode === 503)

    assertFailure(await submit(many), 'STORE_FULL')
    assert.equal((await submit(few)).statusCode, 202)
    for (const id of ids) {
      const kept = await callAs(limited, many)(`GET ${callbackPath}/${id}/result`)
      assert.equal(kept.statusCode, 200)
    }
  })
}
