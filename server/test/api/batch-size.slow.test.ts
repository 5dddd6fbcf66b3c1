/** What a large batch costs: the size of its event, and the memory while its results are streamed. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { apiKey, KillableService, killableEnvironment } from '../faults/ledger/killable-service.ts'
import { forgetPeak, peakMib } from '../faults/process-facts.ts'
import { batchPath, submitBatch, untilBatchEnded } from '../support/batch-calls.ts'
import { callApi } from '../support/call-api.ts'
import { once } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores, serviceEnvironment } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

/** Megabytes of results. A batch may have a thousand: `RESULT_COUNT=1000 npm test -- …` takes minutes. */
const resultCount = Number(process.env['RESULT_COUNT'] ?? 250)

onBothStores((kind, start) => {
  test(`${kind}: an event over 8 MiB is a link`, async (t) => {
    const site = await startPageSite(t)
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    // A character of three bytes has nine in the URL without its password, which the event shows.
    const url = new URL(site.url(`/${'日'.repeat(906)}`))
    site.page(url.pathname, (request) => request.socket.resetAndDestroy())
    const urls = Array(1000).fill(decodeURI(url.href).replace('//', '//user@'))

    const { job_id, accepted_urls } = await submitBatch(account, {
      urls,
      callback_url: `${receiver.url}/callback`,
      ...once,
    })

    assert.equal(accepted_urls, 1000)
    const [event] = await receiver.arrivals(1, '/callback')
    const result_url = `${service.url}${batchPath}/${job_id}`
    assert.deepEqual(event?.json.data, { job_id, status: 'completed', result_url })
    await untilBatchEnded(account, job_id)
  })

  test(`${kind}: ${resultCount} results of 1 MB are streamed within a fraction of that memory`, async (t) => {
    const site = await startPageSite(t)
    const page = gzipSync(Buffer.alloc(2 ** 20, 'a'))
    site.page('/', (_, response) => {
      const headers = { 'content-type': 'text/html', 'content-encoding': 'gzip' }
      response.writeHead(200, headers).end(page)
    })
    const { place } = await createTestStore(t, kind)
    await using service = new KillableService({
      ...serviceEnvironment(place),
      ...killableEnvironment,
      // Nothing is killed here, and on a busy machine a lease of 1 s would be lost.
      TRAWL_LEASE: '20s',
      TRAWL_RESULT_RETENTION: '1h',
    })
    await service.start()
    const headers = { 'x-api-key': apiKey }
    const runBatch = async (count: number): Promise<string> => {
      const body = { urls: Array(count).fill(site.url('/')), formats: ['html'] }
      const accepted = await callApi(service.url, `POST ${batchPath}`, { headers, body })
      const url = `${service.url}${batchPath}/${accepted.json().job_id}`
      const isOver = async () =>
        (await callApi(url, 'GET ?page_size=1', { headers })).json().completed_at !== null
      await until(isOver, { withinMs: 300_000 })
      return url
    }
    const [small, large] = [await runBatch(0.4 * resultCount), await runBatch(resultCount)]
    // A new process has no garbage of the pages.
    await service.kill()
    await service.start()
    const pid = service.pid ?? assert.fail()
    const streamWithPeak = async (url: string) => {
      forgetPeak(pid)
      const bytes = await readSlowly(url, headers)
      return { bytes, mib: peakMib(pid) }
    }

    const before = await streamWithPeak(small)
    const streamed = await streamWithPeak(large)

    const grown = streamed.mib - before.mib
    t.diagnostic(
      `${Math.round(streamed.bytes / 2 ** 20)} MiB streamed, ${Math.round(grown)} MiB grown`,
    )
    assert.ok(streamed.bytes > resultCount * 2 ** 20, `${streamed.bytes} bytes`)
    assert.ok(grown < streamed.bytes / 2 ** 20 / 4, `${grown} MiB more than a small batch`)
  })

  test(`${kind}: callers who hang up in the middle of a stream leave nothing behind`, async (t) => {
    const site = await startPageSite(t)
    site.page('/', 'a'.repeat(2 ** 16))
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const { job_id } = await submitBatch(account, { urls: Array(30).fill(site.url('/')) })
    await untilBatchEnded(account, job_id)
    const url = `${service.url}${batchPath}/${job_id}`

    // More than may read results at once, and more than may wait for that.
    await Promise.all(Array.from({ length: 250 }, () => hangUp(url, account.apiKey)))

    const response = await fetch(url, {
      headers: { 'x-api-key': account.apiKey, accept: 'application/x-ndjson' },
    })
    const lines = (await response.text()).trimEnd().split('\n')
    assert.equal(lines.length, 30)
    assert.ok(lines.every((line) => JSON.parse(line).data.markdown.length >= 2 ** 16))
  })
})

/** Reads one chunk a turn, with small buffers, and returns the number of bytes. */
function readSlowly(url: string, headers: Record<string, string>): Promise<number> {
  const wanted = { headers: { ...headers, accept: 'application/x-ndjson' } }
  return new Promise((resolve, reject) => {
    request(url, wanted, async (response) => {
      let bytes = 0
      try {
        for await (const chunk of response) {
          bytes += chunk.length
          await turn()
        }
        resolve(bytes)
      } catch (error) {
        reject(error)
      }
    })
      .on('error', reject)
      .end()
  })
}

/** Resolves after the first bytes of the stream. */
function hangUp(url: string, key: string): Promise<void> {
  const headers = { 'x-api-key': key, accept: 'application/x-ndjson' }
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      response.once('error', () => resolve())
      response.once('data', () => {
        sent.destroy()
        resolve()
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}
