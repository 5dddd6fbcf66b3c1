/** `max_age`: an extraction that a stored result of the same request answers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import {
  extract,
  extracted,
  faultsOfExtraction,
  getJob,
  submitExtraction,
} from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { ageTask } from '../support/task-age.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

const hour = 3_600_000

onBothStores((kind, start) => {
  test(`${kind}: an extraction with max_age`, async (t) => {
    const site = await startPageSite(t)
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment: reachingLoopback })
    const { db } = await service.openBeside()

    /** A page whose content is the number of its request, for one test. */
    function countingPage(path: string, status = 200): { url: string; asked: () => number } {
      let count = 0
      site.page(path, (_, response) => {
        count++
        response.writeHead(status, { 'content-type': 'text/html' }).end(`<p>${count}</p>`)
      })
      return { url: site.url(path), asked: () => count }
    }

    await t.test('a hit is a job of its own with the stored content and no tokens', async () => {
      const account = await service.createAccount()
      const page = countingPage('/hit')
      const request = { url: page.url, formats: ['html', 'text'] }
      const first = await extract(account, request)

      const again = await extract(account, { ...request, max_age: hour })
      const id = again.headers['x-job-id'] ?? ''
      const job = await getJob(account, id)

      assert.equal(page.asked(), 1)
      assert.notEqual(id, first.headers['x-job-id'])
      const { data, metadata, tokens_charged } = again.json()
      assert.deepEqual(data, first.json().data)
      assert.equal(tokens_charged, 0)
      const { duration_ms, ...before } = first.json().metadata
      assert.deepEqual(metadata, { ...before, duration_ms: 0, cached: true })
      assert.deepEqual(
        { data: job.data, metadata: job.metadata, tokens_charged: job.tokens_charged },
        { data, metadata, tokens_charged },
      )
      assert.deepEqual([job.status, job.error], ['completed', null])
      assert.equal('cached' in before, false)
    })

    await t.test('an asynchronous hit is completed when its 202 arrives', async () => {
      const account = await service.createAccount()
      const page = countingPage('/async')
      await extracted(account, { url: page.url })

      const id = await submitExtraction(account, { url: page.url, max_age: hour })
      const job = await getJob(account, id)

      assert.deepEqual([job.status, job.tokens_charged], ['completed', 0])
      assert.deepEqual([job.metadata?.cached, job.metadata?.processing_mode], [true, 'async'])
      assert.equal(page.asked(), 1)
    })

    await t.test('an asynchronous hit with a key that was used repeats the first job', async () => {
      const account = await service.createAccount()
      const page = countingPage('/key')
      await extracted(account, { url: page.url })
      const submit = () =>
        fetch(`${service.url}/v1/extract`, {
          method: 'POST',
          headers: {
            'x-api-key': account.apiKey,
            'idempotency-key': 'once',
            'content-type': 'application/json',
          },
          body: JSON.stringify({ url: page.url, max_age: hour, processing_mode: 'async' }),
        })

      const [first, second] = [await submit(), await submit()]

      assert.deepEqual([first.status, second.status], [202, 202])
      assert.deepEqual(await second.json(), await first.json())
      assert.equal(second.headers.get('idempotency-replayed'), 'true')
      assert.equal(page.asked(), 1)
    })

    await t.test('a hit sends its event and counts in the statistics without tokens', async () => {
      const account = await service.createAccount()
      const page = countingPage('/event')
      await extracted(account, { url: page.url })
      const webhook = { url: `${receiver.url}/cached`, event_type: 'extract_completed' }
      await account.call('POST /v1/webhooks', webhook)

      const hit = await extract(account, { url: page.url, max_age: hour })
      const [event] = await receiver.arrivals(1, '/cached')
      const statistics = (await account.call('GET /v1/statistics')).json()

      const { job_id, metadata, data } = event?.json.data ?? {}
      assert.equal(job_id, hit.headers['x-job-id'])
      assert.equal(metadata.cached, true)
      assert.deepEqual(data, hit.json().data)
      assert.deepEqual([statistics.extraction_count, statistics.period_tokens_used], [2, 1])
    })

    await t.test('another account, another request and max_age 0 fetch the page', async () => {
      const account = await service.createAccount()
      const stranger = await service.createAccount()
      const page = countingPage('/others')
      await extracted(account, { url: page.url })

      const foreign = await extracted(stranger, { url: page.url, max_age: hour })
      await extracted(account, { url: page.url })
      await extracted(account, { url: page.url, max_age: 0 })
      await extracted(account, { url: page.url, max_age: hour, headers: { 'x-a': '1' } })

      assert.equal(page.asked(), 5)
      assert.equal(foreign.metadata.cached, undefined)
      assert.equal(foreign.tokens_charged, 1)
    })

    await t.test('the newest result answers, and a hit does not renew the age', async () => {
      const account = await service.createAccount()
      const page = countingPage('/age')
      const first = await extract(account, { url: page.url })
      await ageTask(db, first.headers['x-job-id'] ?? '', 2)
      const fromOld = await extracted(account, { url: page.url, max_age: 3 * hour })
      const renewed = await extracted(account, { url: page.url, max_age: hour })
      const newest = await extracted(account, { url: page.url, max_age: 3 * hour })

      assert.deepEqual(
        [fromOld.data.html, renewed.data.html, newest.data.html],
        ['<p>1</p>', '<p>2</p>', '<p>2</p>'],
      )
      assert.deepEqual([renewed.metadata.cached, newest.metadata.cached], [undefined, true])
    })

    await t.test('a result past its retention answers nothing', async () => {
      const account = await service.createAccount()
      const page = countingPage('/expired')
      const first = await extract(account, { url: page.url })
      await ageTask(db, first.headers['x-job-id'] ?? '', 24 * 300)

      const again = await extracted(account, { url: page.url, max_age: 24 * 365 * hour })

      assert.deepEqual([again.metadata.cached, page.asked()], [undefined, 2])
    })

    await t.test(
      'a result that was removed answers nothing, and earlier hits have no content any more',
      async () => {
        const account = await service.createAccount()
        const page = countingPage('/removed')
        const first = await extract(account, { url: page.url })
        const hit = await extract(account, { url: page.url, max_age: hour })
        const id = first.headers['x-job-id'] ?? ''
        await db.run(sql<never>`delete from results where task_id = ${id}`)
        await db.run(sql<never>`delete from blobs where owner_id = ${id}`)

        const again = await extracted(account, { url: page.url, max_age: hour })
        const job = await getJob(account, hit.headers['x-job-id'] ?? '')

        assert.deepEqual([again.metadata.cached, page.asked()], [undefined, 2])
        assert.deepEqual([job.status, job.data], ['completed', null])
      },
    )

    await t.test('a response other than 2xx and one to a POST answer nothing', async () => {
      const account = await service.createAccount()
      const missing = countingPage('/missing', 404)
      const page = countingPage('/post')
      const post = { url: page.url, method: 'POST', body: 'a', max_age: hour }
      for (const request of [{ url: missing.url, max_age: hour }, post]) {
        await extracted(account, request)
        await extracted(account, request)
      }

      assert.deepEqual([missing.asked(), page.asked()], [2, 2])
    })

    await t.test('a file of a hit has a link of its own', async () => {
      const account = await service.createAccount()
      site.page('/file', (_, response) =>
        response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([1, 2, 0xff])),
      )
      await extracted(account, { url: site.url('/file') })

      const hit = await extract(account, { url: site.url('/file'), max_age: hour })
      const { url } = hit.json().data.file

      assert.ok(url.includes(hit.headers['x-job-id'] ?? 'none'))
      assert.equal((await (await fetch(url)).arrayBuffer()).byteLength, 3)
    })

    await t.test('the store holds no readable trace of a request as its key', async () => {
      const keys = await db.run(
        sql<{ cache_key: string }>`select cache_key from tasks where cache_key is not null`,
      )

      assert.ok(keys.length > 0)
      for (const { cache_key } of keys) assert.match(cache_key, /^[A-Za-z0-9_-]{43}$/)
    })

    await t.test('max_age is an integer of milliseconds from 0', async () => {
      const account = await service.createAccount()
      for (const max_age of [-1, 1.5, '1']) {
        const response = await extract(account, { url: site.url('/'), max_age })
        assert.match(faultsOfExtraction(response).join(), /^body\.max_age /)
      }
      assert.equal((await extract(account, { url: site.url('/'), max_age: null })).statusCode, 200)
    })
  })
})
