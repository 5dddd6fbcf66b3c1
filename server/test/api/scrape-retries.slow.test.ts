import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHoldingSite } from '../support/holding-site.ts'
import { getStatus, reachingLoopback, scrapeNow } from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

const oneRetry = { retries: { maxRetries: 1 } }

const triedAgain = [
  '/status/403',
  '/status/407',
  '/status/408',
  '/status/425',
  '/status/429',
  '/status/500',
  '/status/503',
  '/status/599',
  '/reset',
  '/cut',
  '/garbage',
  '/unknown-encoding',
]

const triedOnce = [
  '/',
  '/status/204',
  '/redirect/302',
  '/status/400',
  '/status/401',
  '/status/404',
  '/status/410',
  '/status/499',
  `/big/${20 * 2 ** 20 + 1}`,
  '/redirect/302?to=http://10.0.0.1/',
]

test('retrying a scrape', async (t) => {
  const site = await startTestSite(t)
  const held = await startHoldingSite(t)
  const { createAccount } = await startTestService(t, { environment: reachingLoopback })
  const account = await createAccount()
  const scrape = (url: string, configurations: Record<string, unknown>, limits = {}) =>
    scrapeNow(account, { url, configurations, ...limits })
  const askedFor = (path: string) => site.requests.filter((request) => request.path === path).length

  await t.test('target failures and blocking statuses are retried `maxRetries` times', async () => {
    await Promise.all(
      triedAgain.map(async (path) => {
        // On a reused connection a reset may mean a stale keep-alive, which counts as no attempt.
        const { url, requests } = await startTestSite(t)
        const answer = await scrape(url(path), oneRetry)
        const { attempts } = await getStatus(account, answer.headers['x-request-id'] ?? '')
        assert.deepEqual([requests.length, attempts], [2, 2], path)
      }),
    )
  })

  await t.test('a target that says nothing for the time of an attempt is asked again', async () => {
    const answer = await scrape(site.url('/silent'), oneRetry, { timeout_ms: 1000 })

    const { attempts } = await getStatus(account, answer.headers['x-request-id'] ?? '')
    assert.equal(attempts, 2)
  })

  await t.test('other statuses and failures are not retried', async () => {
    await Promise.all(
      triedOnce.map(async (path) => {
        const answer = await scrape(site.url(path), oneRetry)
        const { attempts } = await getStatus(account, answer.headers['x-request-id'] ?? '')
        assert.deepEqual([askedFor(path), attempts], [1, 1], path)
      }),
    )
  })

  await t.test('by default there are two retries, the last response is the result', async () => {
    const answer = await scrape(site.url('/status/502'), {})

    assert.equal(askedFor('/status/502'), 3)
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['x-target-status'], '502')
    assert.equal(answer.headers['x-attempts'], '3')
  })

  await t.test('a scrape is not retried if the caller does not want it', async () => {
    const unwanted = [
      { maxRetries: 0 },
      { useRetries: false },
      { useRetries: false, maxRetries: 9 },
    ]

    for (const [index, retries] of unwanted.entries()) {
      const path = `/status/500?unwanted=${index}`
      const answer = await scrape(site.url(path), { retries })
      assert.equal(askedFor(path), 1)
      assert.equal(answer.headers['x-attempts'], '1')
    }
  })

  await t.test("a retry waits half a second, or as long as the target's Retry-After", async () => {
    const pauseAfter = async (path: string, headers: Record<string, string>) => {
      const scraped = scrape(held.url(path), oneRetry)
      const first = await held.untilHeld(path)
      const answeredAtMs = performance.now()
      first.answer(503, headers)
      const second = await held.untilHeld(path, 2)
      second.answer(200, {}, '<p>at last</p>')
      const answer = await scraped
      assert.equal(answer.text, '<p>at last</p>')
      assert.equal(answer.headers['x-attempts'], '2')
      return second.atMs - answeredAtMs
    }

    const [usual, asked] = await Promise.all([
      pauseAfter('/usual', {}),
      pauseAfter('/asked', { 'retry-after': '2' }),
    ])

    assert.ok(usual >= 390, `${usual} ms`)
    assert.ok(asked >= 1950, `${asked} ms`)
  })

  await t.test('every attempt is in `debug`', async () => {
    const configurations = { ...oneRetry, response_format: 'json', debug: true }
    const scraped = scrape(held.url('/debug'), configurations)
    ;(await held.untilHeld('/debug')).answer(429)
    ;(await held.untilHeld('/debug', 2)).answer()

    const { debug, attempts } = (await scraped).json()

    assert.equal(attempts, 2)
    const statuses = debug.attempts.map(({ statusCode }: { statusCode: number }) => statusCode)
    assert.deepEqual(statuses, [429, 200])
  })
})
