import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { deleteBlobsOf, deleteResult } from '../../src/storage/tables/results.ts'
import { getBatch, submitBatch, untilBatchEnded } from '../support/batch-calls.ts'
import { watchContentProcesses } from '../support/content-processes.ts'
import { getCrawl, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { getJob, submitExtraction, untilEnded } from '../support/extract-calls.ts'
import { callbackPath, reachingLoopback, scrapeNow, untilStatus } from '../support/scrape-calls.ts'
import { ageTask } from '../support/task-age.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

// Callers' rules and the minifier run in processes, whose pages can be counted.
const byRules = { formats: ['html'], extract_rules: { text: 'p' } }
const byMinifier = { configurations: { HTMLMinifier: { useMinifier: true } } }

/** Counts how many pages were given to processes while something is done. */
function watchConversions(t: TestContext) {
  const processes = watchContentProcesses(t)
  const count = () => processes.reduce((sum, { pagesCount }) => sum + pagesCount, 0)
  return async (act: () => Promise<unknown>): Promise<number> => {
    const before = count()
    await act()
    return count() - before
  }
}

onBothStores((kind, start) => {
  test(`${kind}: a result is converted for its first reader only`, async (t) => {
    const site = await startTestSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const { db } = await service.openBeside()
    const conversionsOf = watchConversions(t)
    const submitPage = (word: string) =>
      submitExtraction(account, { url: site.url(`/page/${word}`), ...byRules })
    const addRead = async (word: string) => {
      const id = await submitPage(word)
      const job = await untilEnded(account, id)
      assert.deepEqual(job.data?.extracted, { text: word })
      return { id, job }
    }

    await t.test('of an extraction', async () => {
      const { id, job } = await addRead('cod')

      const count = await conversionsOf(async () => {
        for (const _ of [1, 2, 3]) assert.deepEqual(await getJob(account, id), job)
      })

      assert.equal(count, 0)
    })

    await t.test('of the pages of a batch', async () => {
      const urls = ['eel', 'ray'].map((word) => site.url(`/page/${word}`))
      const { job_id } = await submitBatch(account, { urls, ...byRules })
      const { results } = await untilBatchEnded(account, job_id)

      const count = await conversionsOf(async () => {
        assert.deepEqual((await getBatch(account, job_id)).results, results)
        const { task_id = '', data } = results[0] ?? {}
        assert.deepEqual((await getJob(account, task_id)).data, data)
      })

      assert.equal(count, 0)
    })

    await t.test('of the pages of a crawl', async () => {
      const id = await startCrawl(account, { url: site.url('/page/ide'), limit: 1, ...byRules })
      const { results } = await untilCrawled(account, id)

      const count = await conversionsOf(async () => {
        assert.deepEqual((await getCrawl(account, id)).results, results)
      })

      assert.equal(count, 0)
    })

    await t.test('in each form', async () => {
      const scraped = await scrapeNow(account, { url: site.url('/page/pike'), ...byMinifier })
      const id = String(scraped.headers['x-request-id'])
      const read = async () => {
        const inJob = (await getJob(account, id)).data?.html
        const alone = (await account.call(`GET ${callbackPath}/${id}/result`)).text
        assert.deepEqual([inJob, alone], ['<p>pike</p>', '<p>pike</p>'])
      }

      assert.deepEqual([await conversionsOf(read), await conversionsOf(read)], [2, 0])
    })

    await t.test('although many begin to read it at once', async () => {
      const id = await submitPage('carp')
      await untilStatus(account, id, 'completed')

      const count = await conversionsOf(async () => {
        const jobs = await Promise.all(Array.from({ length: 30 }, () => getJob(account, id)))
        for (const { data } of jobs) assert.deepEqual(data?.extracted, { text: 'carp' })
      })

      assert.equal(count, 1)
    })

    await t.test('and for no other account, which gets 404 and no byte of it', async () => {
      const { id } = await addRead('roach')
      const stranger = await service.createAccount()

      const count = await conversionsOf(async () => {
        for (const path of [`/v1/extract/${id}`, `${callbackPath}/${id}/result`]) {
          const refused = await stranger.call(`GET ${path}`)
          assertFailure(refused, 'NOT_FOUND')
          assert.ok(!refused.text.includes('roach'))
        }
      })

      assert.equal(count, 0)
    })

    await t.test('and is not shown any more once it has expired or was deleted', async () => {
      const [expired, deleted] = [await addRead('tench'), await addRead('bream')]

      await ageTask(db, expired.id, 73)
      await db.transaction([deleteResult(deleted.id), deleteBlobsOf(deleted.id)])

      for (const { id } of [expired, deleted]) {
        const { status, data } = await getJob(account, id)
        assert.deepEqual({ status, data }, { status: 'completed', data: null })
        assertFailure(await account.call(`GET ${callbackPath}/${id}/result`), 'EXPIRED')
      }
    })
  })
})
