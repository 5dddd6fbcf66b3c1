/** `Accept: application/x-ndjson`: all results of a batch, one a line. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import {
  batchPath,
  getBatch,
  streamResults,
  submitBatch,
  untilBatch,
  untilBatchEnded,
} from '../support/batch-calls.ts'
import { callApi } from '../support/call-api.ts'
import { once } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

onBothStores((kind, start) => {
  test(`${kind}: the results of a batch as a stream`, async (t) => {
    const site = await startTestSite(t)
    const held = await startHoldingSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const urls = Array.from({ length: 120 }, (_, index) => site.url(`/page/${index}`))
    const { job_id } = await submitBatch(account, { urls })
    await untilBatchEnded(account, job_id)

    await t.test(
      'each result is a line as in the pages, in order, and paging is ignored',
      async () => {
        const { response, lines } = await streamResults(service.url, account, job_id)
        const paged = await getBatch(account, job_id, '?page=2&page_size=50')
        assert.equal(response.statusCode, 200)
        assert.equal(response.headers['content-type'], 'application/x-ndjson')
        assert.match(response.headers['content-security-policy'] ?? '', /sandbox/)
        assert.deepEqual(
          lines.map(({ input_index }) => input_index),
          urls.map((_, index) => index),
        )
        assert.deepEqual(lines.slice(50, 100), paged.results)
        const other = await streamResults(service.url, account, `${job_id}?page=3&page_size=1`)
        assert.equal(other.lines.length, urls.length)
      },
    )

    await t.test('a download is a file of all results, as lines or as the batch', async () => {
      const { lines } = await streamResults(service.url, account, job_id)
      const asLines = await account.call(`GET ${batchPath}/${job_id}?download=ndjson&page=2`)
      const asObject = await account.call(`GET ${batchPath}/${job_id}?download=json&page=2`)
      const outline = await account.call(`GET ${batchPath}/${job_id}?download=ndjson&contents=none`)

      assert.deepEqual(
        [asLines, asObject].map(({ headers }) => headers['content-disposition']),
        [`attachment; filename="${job_id}.ndjson"`, `attachment; filename="${job_id}.json"`],
      )
      assert.equal(asLines.headers['content-type'], 'application/x-ndjson')
      assert.equal(asLines.text, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      assert.deepEqual(asObject.json().results, lines)
      assert.deepEqual(JSON.parse(outline.text.split('\n')[7] ?? ''), {
        ...lines[7],
        data: null,
        metadata: null,
      })
    })

    await t.test('a batch that runs gives a snapshot, unfinished pages too', async () => {
      const running = await submitBatch(account, {
        urls: [held.url('/a'), site.url('/reset'), site.url('/page/x')],
        ...once,
      })
      const request = await held.untilHeld('/a')
      await untilBatch(account, running.job_id, ({ pending_urls }) => pending_urls === 1)
      const { lines } = await streamResults(service.url, account, running.job_id)
      assert.deepEqual(
        lines.map(({ status, data }) => [status, data?.markdown]),
        [
          ['processing', undefined],
          ['failed', undefined],
          ['completed', 'x\n'],
        ],
      )
      request.answer()
      await untilBatchEnded(account, running.job_id)
    })

    await t.test('a result that is gone has no content', async () => {
      const { db } = await service.openBeside()
      const { results } = await getBatch(account, job_id, '?page_size=3')
      const gone = results[1]?.task_id ?? ''
      await db.run(sql<never>`delete from results where task_id = ${gone}`)
      await db.run(sql<never>`delete from blobs where owner_id = ${gone}`)
      const { lines } = await streamResults(service.url, account, job_id)
      const { status, data, metadata } = lines[1] ?? assert.fail()
      assert.deepEqual([lines.length, status, data, metadata], [120, 'completed', null, null])
      assert.equal(lines[2]?.data?.markdown, '2\n')
    })

    await t.test('strangers get no stream', async () => {
      const stranger = await service.createAccount()
      const response = await callApi(service.url, `GET ${batchPath}/${job_id}`, {
        headers: { 'x-api-key': stranger.apiKey, accept: 'application/x-ndjson' },
      })
      assert.deepEqual([response.statusCode, response.json().code], [404, 'NOT_FOUND'])
    })
  })
})
