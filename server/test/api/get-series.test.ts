import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getAccount } from '../../src/accounts/accounts.ts'
import { noActivity } from '../../src/domain/task/activity.ts'
import { utcMinuteOf } from '../../src/domain/utc-time.ts'
import { WatchedDatabase } from '../../src/storage/outages/watched-database.ts'
import { putMinute } from '../../src/storage/tables/activity-rollups.ts'
import { closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { until } from '../support/until.ts'

const environment = { ...reachingLoopback, TRAWL_HTTP_CONCURRENCY: '1' }
const once = { configurations: { retries: { useRetries: false } } }

interface Point {
  time: string
  completed: number
  failed: number
  engines: Record<string, number>
  codes: Record<string, number>
  statuses: Record<string, number>
  p50_ms: number | null
  durations: { ms_max: number; count: number }[]
  queue_depth: number
  queue_oldest_age_seconds: number
}

const seriesOf = async (account: TestAccount, query = ''): Promise<Point[]> =>
  (await account.call(`GET /v1/series${query}`)).json().points

/** The tests may run over the end of a minute. */
const sumOf = (points: Point[], read: (point: Point) => number | undefined): number =>
  points.reduce((sum, point) => sum + (read(point) ?? 0), 0)

onBothStores((kind, start) => {
  test(`${kind}: minutes of many processes are added up a hundred rows at a time`, async (t) => {
    const service = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const account = await service.createAccount()
    const { db } = await service.openBeside()
    const { id: accountId } = await getAccount(db, account.username)
    const lastMinute = utcMinuteOf(db.nowMs())
    await db.transaction(
      Array.from({ length: 50 }, (_, index) =>
        ['one', 'two', 'three'].map((segment) =>
          putMinute({
            accountId,
            utcMinute: lastMinute - index,
            segment,
            activity: { ...noActivity(), failed: 1 },
          }),
        ),
      ).flat(),
    )
    const run = t.mock.method(WatchedDatabase.prototype, 'run')

    const points = await seriesOf(account)

    const read = await Promise.all(run.mock.calls.map(({ result }) => result))
    assert.equal(Math.max(...read.map((rows) => rows?.length ?? 0)), 100)
    assert.ok(points.every(({ failed }) => failed === 0 || failed === 3))
    assert.ok(sumOf(points, ({ failed }) => failed) >= 3 * 49)
  })

  test(`${kind}: the series of an account`, async (t) => {
    const site = await startTestSite(t)
    const { createAccount } = await start(t, { environment })
    const [ada, bob] = [await createAccount(), await createAccount()]

    await t.test('counts ended tasks by minute, engine, status, code and duration', async () => {
      await ada.call('POST /v1/extract', { url: site.url('/') })
      await ada.call('POST /v1/extract', { url: site.url('/missing') })
      await ada.call('POST /v1/extract', { url: closedPortUrl, ...once })
      await until(async () => sumOf(await seriesOf(ada), (one) => one.completed + one.failed) === 3)

      const points = await seriesOf(ada)

      assert.equal(points.length, 60)
      assert.equal(
        sumOf(points, ({ completed }) => completed),
        2,
      )
      assert.equal(
        sumOf(points, ({ engines }) => engines['http']),
        3,
      )
      assert.equal(
        sumOf(points, ({ statuses }) => statuses['200']),
        1,
      )
      assert.equal(
        sumOf(points, ({ statuses }) => statuses['404']),
        1,
      )
      assert.equal(
        sumOf(points, ({ codes }) => codes['TARGET_UNREACHABLE']),
        1,
      )
      assert.equal(
        sumOf(points, ({ durations }) => durations.reduce((sum, { count }) => sum + count, 0)),
        3,
      )
    })

    await t.test('has the queue at its longest, of this account only', async () => {
      // The first holds the only slot, so that the second waits.
      const body = { url: site.url('/silent'), processing_mode: 'async' }
      const jobs = [
        await ada.call('POST /v1/extract', body),
        await ada.call('POST /v1/extract', body),
      ]

      const waits = ({ queue_depth, queue_oldest_age_seconds }: Point) =>
        queue_depth === 1 && queue_oldest_age_seconds > 0
      await until(async () => (await seriesOf(ada)).some(waits))
      for (const job of jobs) await ada.call(`DELETE /v1/tasks/${job.json().job_id}`)

      assert.equal((await seriesOf(bob)).some(waits), false)
    })

    await t.test('shows another account nothing', async () => {
      assert.equal(
        sumOf(await seriesOf(bob), (one) => one.completed + one.failed),
        0,
      )
    })

    await t.test('has steps of the length asked for, also empty ones', async () => {
      const day = '?start_date=2026-03-01&end_date=2026-03-01'
      const hours = await seriesOf(ada, `${day}&step=1h`)
      const chosen = await ada.call(`GET /v1/series${day}`)

      assert.equal(hours.length, 24)
      assert.deepEqual(
        hours.slice(0, 2).map(({ time, completed, p50_ms }) => [time, completed, p50_ms]),
        [
          ['2026-03-01T00:00:00.000Z', 0, null],
          ['2026-03-01T01:00:00.000Z', 0, null],
        ],
      )
      assert.equal(chosen.json().step_seconds, 300)
    })

    await t.test('refuses periods that end before they start or are too long', async () => {
      for (const [query, field] of [
        ['?start_date=2026-03-02&end_date=2026-03-01', 'end_date'],
        ['?start_date=2026-03-01&end_date=2026-03-20', 'end_date'],
        ['?start_date=2026-03-01&end_date=2026-03-06&step=1m', 'end_date'],
        ['?start_date=2020-01-01', 'start_date'],
        ['?step=2m', 'step'],
      ]) {
        const answer = await ada.call(`GET /v1/series${query}`)
        assert.equal(answer.statusCode, 422, query)
        assert.deepEqual(answer.json().detail[0].loc, ['query', field])
      }
    })
  })
})
