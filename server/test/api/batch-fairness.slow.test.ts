/** Single tasks and batches of one account take turns; the order is that in which a site is asked. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { submitBatch, untilBatchEnded } from '../support/batch-calls.ts'
import { submitExtraction } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const slots = 2

/** A site that answers its requests one by one, in the order in which they came. */
async function startOrderedSite(t: TestContext, paths: readonly string[]) {
  const site = await startPageSite(t)
  const waiting: ServerResponse[] = []
  let isOpen = false
  const answer = (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>next</p>')
  for (const path of paths) {
    site.page(path, (_, response) => (isOpen ? answer(response) : void waiting.push(response)))
  }
  return {
    url: (path: string) => site.url(path),
    get asked() {
      return site.asked
    },
    untilAsked: (count: number) => until(() => site.asked.length >= count),
    async answerNext() {
      await until(() => waiting.length > 0)
      for (const response of waiting.splice(0, 1)) answer(response)
    },
    answerAll() {
      isOpen = true
      for (const response of waiting.splice(0)) answer(response)
    },
  }
}

onBothStores((kind, start) => {
  test(`${kind}: a single task does not wait behind a batch of 1,000`, async (t) => {
    const site = await startOrderedSite(t, ['/batch', '/single'])
    const service = await start(t, {
      environment: { ...reachingLoopback, TRAWL_HTTP_CONCURRENCY: String(slots) },
    })
    const account = await service.createAccount()
    const { job_id } = await submitBatch(account, { urls: Array(1000).fill(site.url('/batch')) })
    await site.untilAsked(slots)

    await submitExtraction(account, { url: site.url('/single') })
    while (!site.asked.includes('/single')) await site.answerNext()

    // What was claimed before the single task came, and one turn of the batch.
    const before = site.asked.indexOf('/single') - slots
    assert.ok(before <= 2 * slots, `${before} pages of the batch came first`)
    await account.call(`DELETE /v1/batch/${job_id}`)
    site.answerAll()
    await untilBatchEnded(account, job_id)
  })

  test(`${kind}: two batches of an account take turns`, async (t) => {
    const site = await startOrderedSite(t, ['/one', '/two'])
    const service = await start(t, {
      environment: { ...reachingLoopback, TRAWL_HTTP_CONCURRENCY: String(slots) },
    })
    const account = await service.createAccount()
    const batchOf = async (path: string) =>
      (await submitBatch(account, { urls: Array(200).fill(site.url(path)) })).job_id
    const ids = [await batchOf('/one')]
    await site.untilAsked(slots)
    ids.push(await batchOf('/two'))

    for (let count = 0; count < 40; count += 1) await site.answerNext()
    await site.untilAsked(slots + 40)

    const ofSecond = site.asked.slice(slots, slots + 40).filter((path) => path === '/two').length
    assert.ok(ofSecond >= 15 && ofSecond <= 25, `${ofSecond} of 40 turns`)
    for (const id of ids) await account.call(`DELETE /v1/batch/${id}`)
    site.answerAll()
    for (const id of ids) await untilBatchEnded(account, id)
  })
})
