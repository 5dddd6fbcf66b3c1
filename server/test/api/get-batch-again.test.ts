import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchPath, submitBatch, untilBatchEnded } from '../support/batch-calls.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

onBothStores((kind, start) => {
  test(`${kind}: the second path of a batch answers as the first`, async (t) => {
    const site = await startTestSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const { job_id } = await submitBatch(account, { urls: [site.url('/'), site.url('/page/2')] })
    await untilBatchEnded(account, job_id)

    for (const query of ['', '?page=2&page_size=1']) {
      const first = await account.call(`GET ${batchPath}/${job_id}${query}`)
      const second = await account.call(`GET ${batchPath}/jobs/${job_id}${query}`)
      assert.deepEqual([first.statusCode, second.statusCode], [200, 200])
      assert.deepEqual(second.json(), first.json())
    }
    assert.equal((await account.call(`GET ${batchPath}/jobs/nonsense`)).statusCode, 422)
  })
})
