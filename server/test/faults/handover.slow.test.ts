/** Kills the service between the two fetches of an extraction whose page needs a browser. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { CrashPoint } from '../../src/runtime/crash-point.ts'
import { callApi } from '../support/call-api.ts'
import { startPageSite } from '../support/page-site.ts'
import { withBrowser } from '../support/real-browser.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, type StoreKind, tierStoreKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import { apiKey, KillableService, killableEnvironment } from './ledger/killable-service.ts'

/** The moments, and how often the target is asked in the end: by the first engine and by the other. */
const moments: Record<string, { point: CrashPoint; times: number; asked: [number, number] }> = {
  'after the first response, before the task has moved': {
    point: 'after_fetch',
    times: 1,
    asked: [2, 1],
  },
  'after the task has moved, before the second fetch': {
    point: 'after_claim',
    times: 2,
    asked: [1, 1],
  },
  'after the second fetch, before its result is stored': {
    point: 'after_fetch',
    times: 2,
    asked: [1, 2],
  },
}

/** One from HTTP to the browser, at every moment, and one from the browser to HTTP. */
const handovers = {
  'a page that needs a browser': {
    body: '<body><div id="root"></div><script>root.innerText = "found"</script>',
    type: 'text/html',
    render_js: 'auto',
    metadata: ['browser', 'empty_app_root'],
    killedAt: Object.keys(moments),
  },
  'a file that a browser came upon': {
    body: 'found',
    type: 'text/plain',
    render_js: true,
    metadata: ['http', 'file'],
    killedAt: ['after the task has moved, before the second fetch'],
  },
}

async function startScene(t: TestContext, kind: StoreKind) {
  const { place } = await createTestStore(t, kind)
  const service = new KillableService({
    ...serviceEnvironment(place),
    ...killableEnvironment,
    // While a browser starts on a busy machine, a second is short: a lease that lapses is another fetch.
    TRAWL_LEASE: '5s',
    TRAWL_RESULT_RETENTION: '1h',
    ...(await withBrowser()),
  })
  t.after(() => service[Symbol.asyncDispose]())
  const headers = { 'x-api-key': apiKey }
  const call = (request: string, body?: unknown) => callApi(service.url, request, { headers, body })
  return { service, call }
}

for (const kind of tierStoreKinds) {
  for (const [what, { body, type, render_js, metadata, killedAt }] of Object.entries(handovers)) {
    for (const [moment, { point, times, asked }] of Object.entries(moments)) {
      if (!killedAt.includes(moment)) continue
      test(`${kind}: ${what} is fetched though the process was killed ${moment}`, async (t) => {
        const site = await startPageSite(t)
        site.page('/', (_, response) => response.writeHead(200, { 'content-type': type }).end(body))
        const { service, call } = await startScene(t, kind)
        await service.start({ point, times })
        await until(async () => (await call('GET /health')).json().status === 'ok')

        const request = { url: site.url('/'), render_js, formats: ['text'] }
        const accepted = await call('POST /v1/extract', { ...request, processing_mode: 'async' })
        assert.equal(accepted.statusCode, 202, accepted.text)
        assert.ok(await service.diesWithin(60_000), 'it reached the moment')
        await service.start()
        const path = `GET /v1/extract/${accepted.json().job_id}`
        await until(async () => (await call(path)).json().completed_at !== null)

        const job = (await call(path)).json()
        assert.deepEqual(
          [job.status, job.data?.text, job.tokens_charged],
          ['completed', 'found', 1],
        )
        assert.deepEqual([job.metadata.engine, job.metadata.engine_reason], metadata)
        assert.equal(job.metadata.retry_count, 0)
        const [first, second] = asked
        assert.equal(site.askedFor('/').length, first + second)
      })
    }
  }
}
