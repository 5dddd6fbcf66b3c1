import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount } from '../../src/accounts/accounts.ts'
import { version } from '../../src/runtime/version.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'

interface ShownProcess {
  is_this: boolean
  started_at: string
  last_seen_at: string
  lanes: { lane: string; slots: number }[]
  listens_on: string[]
}

const readAs = (apiKey: string, { url }: TestService) =>
  callApi(url, 'GET /v1/system', { headers: { 'x-api-key': apiKey } })

const operatorOf = ({ credentials }: TestService): string =>
  credentials?.apiKey ?? assert.fail('no key')

for (const kind of storeKinds) {
  test(`${kind}: the operator sees the whole service`, async (t) => {
    const environment = {
      ...reachingLoopback,
      TRAWL_HTTP_CONCURRENCY: '7',
      TRAWL_DELIVERY_CONCURRENCY: '5',
      TRAWL_PASSWORD: 'canary of a password',
    }
    const service = await startTestService(t, { kind, environment })
    const read = async () => (await readAs(operatorOf(service), service)).json()
    // Lanes are advertised at the start, without waiting for it.
    await until(async () => (await read()).processes[0]?.lanes.length === 2)

    await t.test('with its store, its process and an idle queue', async () => {
      const { store, disk, processes, queue, roles, ...others } = await read()

      assert.equal(others.version, version)
      assert.ok(others.uptime_seconds >= 0)
      assert.deepEqual(roles, ['api', 'worker', 'delivery'])
      assert.equal(store.kind, kind)
      assert.ok(store.bytes > 100_000)
      assert.ok(disk.free_bytes > 0 && disk.total_bytes >= disk.free_bytes)
      const [own, ...rest]: ShownProcess[] = processes
      assert.deepEqual(rest, [])
      assert.deepEqual(own?.lanes, [
        { lane: 'delivery', slots: 5 },
        { lane: 'http', slots: 7 },
      ])
      assert.deepEqual(own?.listens_on, [new URL(service.url).host])
      assert.equal(own?.is_this, true)
      assert.equal(own?.started_at, others.started_at)
      assert.ok(Date.parse(own?.last_seen_at ?? '') >= Date.parse(others.started_at) - 1_000)
      const idle = { waiting: 0, running: 0, oldest_age_seconds: 0 }
      assert.deepEqual(queue, { http: idle, browser: idle, delivery: idle })
    })

    await t.test('with its settings, where each came from, and no secret', async () => {
      const answer = await readAs(operatorOf(service), service)
      const settings: { name: string; value: string; origin: string }[] = answer.json().settings
      const shown = (name: string) => settings.find((one) => one.name === name)

      assert.deepEqual(shown('TRAWL_HTTP_CONCURRENCY'), {
        name: 'TRAWL_HTTP_CONCURRENCY',
        value: '7',
        origin: 'environment TRAWL_HTTP_CONCURRENCY',
      })
      assert.equal(shown('TRAWL_LEASE')?.origin, 'default')
      assert.equal(shown('TRAWL_PASSWORD')?.value, '********')
      if (kind === 'postgres') assert.equal(shown('TRAWL_DATABASE_URL')?.value, '********')
      assert.doesNotMatch(answer.text, /canary/)
    })

    await t.test('with the checks of the doctor that need no program', async () => {
      const { checks, browser } = await read()
      const statuses = Object.fromEntries(
        checks.map(({ name, status }: { name: string; status: string }) => [name, status]),
      )

      assert.equal(browser.state, 'absent')
      assert.equal(statuses['browser'], 'warning')
      assert.deepEqual([statuses['node'], statuses['store'], statuses['clock']], ['ok', 'ok', 'ok'])
      assert.deepEqual(Object.keys(statuses), [
        'node',
        'store',
        'browser',
        'sandbox',
        'shared memory',
        'fonts',
        'disk',
        'clock',
      ])
    })

    await t.test('and nobody else does, with whatever credentials', async () => {
      const account = await service.createAccount()
      const { username, password } = account

      assertFailure(await account.call('GET /v1/system'), 'FORBIDDEN')
      const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
      const byPassword = { authorization: basic }
      assertFailure(
        await callApi(service.url, 'GET /v1/system', { headers: byPassword }),
        'FORBIDDEN',
      )
      assertFailure(await callApi(service.url, 'GET /v1/system'), 'UNAUTHORIZED')
      assertFailure(await readAs('wrong', service), 'UNAUTHORIZED')
    })
  })
}

test('the operator is the oldest account, also in a store that a command made', async (t) => {
  const service = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const store = await service.openBeside()
  const later = await createAccount(store, { username: 'aaa' })

  assert.equal((await readAs(operatorOf(service), service)).statusCode, 200)
  assertFailure(await readAs(later.apiKey, service), 'FORBIDDEN')
})
