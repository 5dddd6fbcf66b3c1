import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CancelledCrawl } from '../../src/wire/crawl/responses.ts'
import { crawlPath, getCrawl, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { linkPage } from '../support/link-pages.ts'
import { callbackPath, reachingLoopback, unknownIds } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

onBothStores((kind, start) => {
  test(`${kind}: cancelling a crawl`, async (t) => {
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const service = await start(t, {
      environment: { ...reachingLoopback, TRAWL_CRAWL_HOST_CONCURRENCY: '2' },
    })
    const account = await service.createAccount()
    const cancel = (id: string) => account.call(`DELETE ${crawlPath}/${id}`)

    await t.test('what has not begun is cancelled at once and what runs ends', async () => {
      const callback_url = `${receiver.url}/running`
      const id = await startCrawl(account, {
        url: held.url('/a'),
        respect_robots: false,
        callback_url,
      })
      const paths = ['/a/1', '/a/2', '/a/3', '/a/4']
      ;(await held.untilHeld('/a')).answer(200, {}, linkPage(paths))
      const running = [await held.untilHeld('/a/1'), await held.untilHeld('/a/2')]

      const answer = await cancel(id)
      const again = await cancel(id)
      const during = await getCrawl(account, id)
      const eventsBefore = receiver.received.length
      for (const request of running) request.answer(200, {}, linkPage(['/a/5']))
      const crawl = await untilCrawled(account, id)
      const [event] = await receiver.arrivals(1, '/running')

      assert.equal(answer.statusCode, 202)
      assert.deepEqual(CancelledCrawl.strict().parse(answer.json()), {
        job_id: id,
        status: 'cancelled',
        status_url: `${crawlPath}/${id}`,
        in_flight_pages: 2,
      })
      assertFailure(again, 'CONFLICT')
      assert.equal(during.status, 'cancelled')
      assert.equal(during.completed_at, null)
      assert.deepEqual([during.pending_pages, during.cancelled_pages], [2, 2])
      assert.equal(eventsBefore, 0)
      assert.equal(crawl.status, 'cancelled')
      assert.deepEqual(
        crawl.results.map(({ status, error_code }) => [status, error_code]),
        [
          ['completed', null],
          ['completed', null],
          ['completed', null],
          ['cancelled', 'CANCELLED'],
          ['cancelled', 'CANCELLED'],
        ],
      )
      assert.equal(event?.json.event, 'crawl_completed')
      assert.equal(event?.json.data.status, 'cancelled')
      assert.equal(event?.json.data.cancelled_pages, 2)
      assert.deepEqual(held.heldAt('/a/5'), [])
      assert.deepEqual(held.heldAt('/a/3'), [])
    })

    await t.test('a crawl whose seed has not begun ends at once', async () => {
      const blocking = await startCrawl(account, { url: held.url('/b'), respect_robots: false })
      ;(await held.untilHeld('/b')).answer(200, {}, linkPage(['/b/1', '/b/2']))
      const running = [await held.untilHeld('/b/1'), await held.untilHeld('/b/2')]
      const id = await startCrawl(account, { url: held.url('/c'), respect_robots: false })

      const answer = await cancel(id)
      const crawl = await untilCrawled(account, id)
      for (const request of running) request.answer()
      await untilCrawled(account, blocking)

      assert.equal(answer.json().in_flight_pages, 0)
      assert.deepEqual([crawl.status, crawl.cancelled_pages], ['cancelled', 1])
      assert.deepEqual(held.heldAt('/c'), [])
      assertFailure(await cancel(blocking), 'CONFLICT')
    })

    await t.test('a crawl whose seed is cancelled as a single task has failed', async () => {
      const ids: string[] = []
      for (const path of ['/running', '/second']) {
        ids.push(await startCrawl(account, { url: held.url(path), respect_robots: false }))
        await held.untilHeld(path)
      }
      ids.push(await startCrawl(account, { url: held.url('/waiting'), respect_robots: false }))

      // The one that waits first: the end of another gives it a place.
      for (const id of ids.toReversed()) {
        const [seed] = (await getCrawl(account, id)).results
        const answer = await account.call(`DELETE ${callbackPath}/${seed.task_id}`)
        assert.equal(answer.statusCode, 202)
      }
      const crawls = await Promise.all(ids.map((id) => untilCrawled(account, id)))

      for (const crawl of crawls) {
        const { status, total_pages, completed_pages, failed_pages, cancelled_pages } = crawl
        assert.equal(status, 'failed')
        assert.deepEqual(
          [total_pages, completed_pages, failed_pages, cancelled_pages],
          [1, 0, 0, 1],
        )
        assert.equal(crawl.results[0]?.error_code, 'CANCELLED')
      }
      assert.deepEqual(held.heldAt('/waiting'), [])
    })

    await t.test('a crawl of another account or none is unknown', async () => {
      const stranger = await service.createAccount()
      const id = await startCrawl(account, { url: held.url('/d'), respect_robots: false })
      const seed = await held.untilHeld('/d')

      assertFailure(await stranger.call(`DELETE ${crawlPath}/${id}`), 'NOT_FOUND')
      assertFailure(await cancel(unknownIds[0] ?? ''), 'NOT_FOUND')
      seed.answer()
      assert.equal((await untilCrawled(account, id)).status, 'completed')
    })
  })
})
