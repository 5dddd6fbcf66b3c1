import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { failedStepsMax } from '../../src/jobs/failed-steps.ts'
import { storeUnavailable } from '../../src/storage/outages/store-unavailable.ts'
import { getCrawl, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { startOwnDriver, withoutWorker } from '../support/own-driver.ts'
import { closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores, type TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

/** Drives the jobs of a service that does not advance crawls itself; every step fails. */
async function driveInVain(t: TestContext, service: TestService, error: Error) {
  const steps = { count: 0 }
  await startOwnDriver(t, service, {
    sweepIntervalMs: 1,
    advance: async () => {
      steps.count += 1
      throw error
    },
  })
  return steps
}

onBothStores((kind, start) => {
  const environment = { ...reachingLoopback, ...withoutWorker }

  test(`${kind}: a crawl that an error keeps from going on ends as failed, with its event`, async (t) => {
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment })
    const account = await service.createAccount()
    const id = await startCrawl(account, { url: closedPortUrl, callback_url: receiver.url })

    await driveInVain(t, service, new TypeError('broken'))
    const crawl = await untilCrawled(account, id)

    assert.deepEqual([crawl.status, crawl.cancelled_pages, crawl.pending_pages], ['failed', 1, 0])
    const [event] = await receiver.arrivals(1)
    assert.deepEqual([event?.json.event, event?.json.data.status], ['crawl_completed', 'failed'])
  })

  test(`${kind}: a crawl outlasts an outage of the store`, async (t) => {
    const service = await start(t, { environment })
    const account = await service.createAccount()
    const id = await startCrawl(account, { url: closedPortUrl })

    const steps = await driveInVain(t, service, storeUnavailable('The store does not answer.'))
    await until(() => steps.count > 2 * failedStepsMax)

    const { status, pending_pages } = await getCrawl(account, id)
    assert.deepEqual([status, pending_pages], ['queued', 1])
  })
})
