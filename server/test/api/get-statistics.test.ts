import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { addToDay } from '../../src/storage/tables/day-rollups.ts'
import { returnLostLeases } from '../../src/storage/tables/queue-entries.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import {
  callbackPath,
  reachingLoopback,
  scrapeNow,
  submitTask,
  untilStatus,
} from '../support/scrape-calls.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { until } from '../support/until.ts'

const path = '/v1/statistics'
const dayMs = 86_400_000
const noRetries = { retries: { useRetries: false } }

async function getStatistics(account: TestAccount, query = '') {
  const answer = await account.call(`GET ${path}${query}`)
  assert.equal(answer.statusCode, 200, answer.text)
  return answer.json()
}

/** Success and failures of every day that has any. */
const countsByDay = (statistics: {
  requests: { success_request_count: number; failed_request_count: number }[]
}) =>
  statistics.requests
    .map((day) => [day.success_request_count, day.failed_request_count])
    .filter(([successes, failed]) => successes || failed)

/** A task that ends around midnight counts on either day. */
const sumOfDays = (statistics: Parameters<typeof countsByDay>[0]) =>
  countsByDay(statistics).reduce((sum, day) => day.map((count, at) => count + (sum[at] ?? 0)), [])

onBothStores((kind, start) => {
  test(`${kind}: statistics of an account`, async (t) => {
    const site = await startTestSite(t)
    const held = await startHoldingSite(t)
    // With a long lease no heartbeat aborts the work whose lease a test takes away.
    const service = await start(t, { environment: { ...reachingLoopback, TRAWL_LEASE: '10m' } })
    const { db } = await service.openBeside()

    /** An account with extractions on given days before today. */
    async function createAccountWith(days: Record<number, [completed: number, failed: number]>) {
      const account = await service.createAccount()
      const today = Math.floor(db.nowMs() / dayMs)
      const [row] = await db.run(
        sql<{ id: string }>`select id from accounts where username = ${account.username}`,
      )
      for (const [daysAgo, [completedCount, failedCount]] of Object.entries(days)) {
        const durationMs = 10 * completedCount + 20 * failedCount
        const totals = { completedCount, failedCount, durationMs, tokens: completedCount }
        await db.run(addToDay(row?.id ?? '', { utcDay: today - Number(daysAgo), ...totals }, 0))
      }
      return { account, today }
    }
    const isoDay = (utcDay: number) => new Date(utcDay * dayMs).toISOString()

    await t.test('an account without tasks has zeros for each of the last 31 days', async () => {
      const { account, today } = await createAccountWith({})

      const { requests, tokens_used, ...sums } = await getStatistics(account)

      assert.deepEqual(sums, {
        extraction_count: 0,
        previous_period_extraction_count: 0,
        success_rate: 0,
        average_extraction_duration: 0,
        period_tokens_used: 0,
      })
      assert.equal(requests.length, 31)
      assert.deepEqual(requests.at(-1), {
        date: isoDay(today),
        success_request_count: 0,
        failed_request_count: 0,
      })
      assert.deepEqual(tokens_used.at(0), { date: isoDay(today - 30), tokens_used: 0 })
    })

    await t.test('callback and realtime tasks count, cancelled ones do not', async () => {
      const account = await service.createAccount()
      await scrapeNow(account, { url: site.url('/') })
      await scrapeNow(account, { url: site.url('/status/500'), configurations: noRetries })
      await scrapeNow(account, { url: site.url('/reset'), configurations: noRetries })
      const completed = await submitTask(account, { url: site.url('/') })
      const cancelled = await submitTask(account, { url: held.url('/cancelled') })
      await account.call(`DELETE ${callbackPath}/${cancelled}`)
      await untilStatus(account, completed, 'completed')

      const statistics = await getStatistics(account)

      assert.equal(statistics.extraction_count, 4)
      assert.equal(statistics.success_rate, 0.75)
      assert.equal(statistics.period_tokens_used, 3)
      assert.ok(Number.isInteger(statistics.average_extraction_duration))
      assert.deepEqual(sumOfDays(statistics), [3, 1])
    })

    await t.test('a task that was tried again counts once', async () => {
      const account = await service.createAccount()
      const scraped = scrapeNow(account, { url: held.url('/retried') })
      ;(await held.untilHeld('/retried')).answer(503)
      ;(await held.untilHeld('/retried', 2)).answer()
      await scraped

      assert.deepEqual(sumOfDays(await getStatistics(account)), [1, 0])
    })

    await t.test('a worker that lost its lease adds nothing', async () => {
      const account = await service.createAccount()
      const id = await submitTask(account, { url: held.url('/lost') })
      const first = await held.untilHeld('/lost')
      await db.run(returnLostLeases(db.nowMs() + dayMs))
      const second = await held.untilHeld('/lost', 2)
      const before = await fencedWrites()

      first.answer()
      await until(async () => (await fencedWrites()) > before)
      const between = await getStatistics(account)
      second.answer()
      await untilStatus(account, id, 'completed')

      assert.equal(between.extraction_count, 0)
      assert.deepEqual(sumOfDays(await getStatistics(account)), [1, 0])
    })

    async function fencedWrites(): Promise<number> {
      const { text } = await callApi(service.url, 'GET /metrics')
      return Number(/^trawl_fenced_writes_total (\d+)/m.exec(text)?.[1])
    }

    await t.test('dates choose the days, and the period before is counted beside', async () => {
      const { account, today } = await createAccountWith({
        0: [1, 0],
        1: [2, 1],
        3: [3, 0],
        4: [0, 5],
        6: [7, 0],
        7: [100, 0],
      })
      const [first, last] = [today - 3, today - 1]
      const noon = (utcDay: number, zone: string) =>
        `${new Date(utcDay * dayMs).toISOString().slice(0, 10)}T12:00:00.123456${zone}`

      for (const query of [
        `start_date=${isoDay(first).slice(0, 10)}&end_date=${isoDay(last).slice(0, 10)}`,
        `start_date=${noon(first, 'Z')}&end_date=${noon(last, 'Z')}`,
        `start_date=${noon(first, '%2B0000')}&end_date=${noon(last, '+0000')}`,
        `start_date=${noon(first, '')}&end_date=${noon(last, '-11:30')}`,
      ]) {
        const statistics = await getStatistics(account, `?${query}`)

        assert.deepEqual(
          statistics.requests,
          [
            [3, 0],
            [0, 0],
            [2, 1],
          ].map(([success_request_count, failed_request_count], index) => ({
            date: isoDay(first + index),
            success_request_count,
            failed_request_count,
          })),
          query,
        )
        assert.deepEqual(
          statistics.tokens_used.map((day: { tokens_used: number }) => day.tokens_used),
          [3, 0, 2],
        )
        assert.equal(statistics.extraction_count, 6)
        assert.equal(statistics.previous_period_extraction_count, 12)
        assert.equal(statistics.success_rate, 5 / 6)
        assert.equal(statistics.average_extraction_duration, Math.round(70 / 6))
        assert.equal(statistics.period_tokens_used, 5)
      }
    })

    await t.test('a period of 366 days is served and a longer one gets 422', async () => {
      const { account, today } = await createAccountWith({ 365: [1, 0] })
      const from = (daysAgo: number) => `?start_date=${isoDay(today - daysAgo)}`

      const served = await getStatistics(account, from(365))
      const refused = await account.call(`GET ${path}${from(366)}`)

      assert.equal(served.requests.length, 366)
      assert.equal(served.extraction_count, 1)
      assert.deepEqual(faultsIn(refused), ['query.start_date value_error'])
    })

    await t.test('a period that ends before it starts gets 422', async () => {
      const { account } = await createAccountWith({})

      const refused = await account.call(
        `GET ${path}?start_date=2026-03-02&end_date=2026-03-01T23:59:59Z`,
      )

      assert.deepEqual(faultsIn(refused), ['query.end_date value_error'])
    })

    await t.test('a date that cannot be read gets 422, both at once', async () => {
      const { account } = await createAccountWith({})

      const refused = await account.call(`GET ${path}?start_date=soon&end_date=2026-02-30`)

      assert.deepEqual(faultsIn(refused), [
        'query.start_date datetime_parsing',
        'query.end_date datetime_parsing',
      ])
    })

    await t.test('another account counts for itself', async () => {
      await createAccountWith({ 0: [9, 9] })
      const { account } = await createAccountWith({ 0: [1, 0] })

      assert.deepEqual(countsByDay(await getStatistics(account)), [[1, 0]])
    })

    await t.test(
      'statistics are not open to a whitelisted address without credentials',
      async () => {
        const account = await service.createAccount()
        await account.call('POST /api/configuration/active/whitelisted-ips', {
          ips: [{ ip: '127.0.0.1' }],
        })
        const open = await callApi(service.url, `GET ${callbackPath}`)

        assert.equal(open.statusCode, 200)
        assertFailure(await callApi(service.url, `GET ${path}`), 'UNAUTHORIZED')
        assertFailure(await callApi(service.url, 'GET /v1/usage/concurrency'), 'UNAUTHORIZED')
        assertFailure(await callApi(service.url, 'GET /v1/search/jobs'), 'UNAUTHORIZED')
      },
    )
  })

  test(`${kind}: days older than 400 days are deleted, and younger ones are kept`, async (t) => {
    // Old rows are swept three leases apart.
    const service = await start(t, { environment: { TRAWL_LEASE: '1s' } })
    const { username } = await service.createAccount()
    const { db } = await service.openBeside()
    const today = Math.floor(db.nowMs() / dayMs)
    const one = { completedCount: 1, failedCount: 0, durationMs: 1, tokens: 1 }
    const listed = () =>
      db.run(sql<{ utc_day: number }>`select utc_day from day_rollups order by utc_day`)
    const [account] = await db.run(
      sql<{ id: string }>`select id from accounts where username = ${username}`,
    )
    for (const daysAgo of [402, 399]) {
      await db.run(addToDay(account?.id ?? '', { utcDay: today - daysAgo, ...one }, 0))
    }

    await until(async () => (await listed()).length === 1)

    assert.deepEqual(await listed(), [{ utc_day: today - 399 }])
  })
})
