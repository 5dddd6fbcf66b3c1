/** The requests that the OpenAPI document shows are run as they stand, against a site of the test. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes.ts'
import { type PageSite, startPageSite } from '../support/page-site.ts'
import { pdfOf } from '../support/pdf-of.ts'
import { closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const families = new Set(['extract', 'batch', 'crawl', 'map', 'usage', 'search'])

test('every operation on jobs, and every other one with a body, has an example', () => {
  const without = routes
    .filter(({ family, body, examples }) => (families.has(family) || body) && !examples)
    .map(({ operationId }) => operationId)

  assert.deepEqual(without, [])
})

const bodyOf = (route: Route, status: number) =>
  [route.response, ...(route.otherResponses ?? [])].find((one) => one.status === status)?.body

for (const route of routes) {
  for (const [name, { response, status }] of Object.entries(route.examples ?? {})) {
    if (response === undefined) continue
    test(`the response in the example ${name} of ${route.operationId} fits its schema`, () => {
      assert.deepEqual(bodyOf(route, status)?.parse(response), response)
    })
  }
}

onBothStores((kind, start) => {
  test(`${kind}: the examples of the OpenAPI document`, async (t) => {
    const site = await startPageSite(t)
    site.page(
      '/article',
      '<title>Cod</title><main><h1>Cod</h1><p>A <a href="/fish">fish</a>.</p></main>',
    )
    site.page('/search', '<p>found</p>')
    site.page('/paper.pdf', (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/pdf' })
        .end(pdfOf([[[11, 50, 700, 'A paper']]])),
    )
    site.page('/image', (_, response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end('\x89PNG'),
    )
    const { createAccount } = await start(t, { environment: reachingLoopback })
    const account = await createAccount()
    const idOf = await createJobs(account, site)
    const webhook = { url: site.url('/events'), event_type: 'extract_completed' }
    const webhookId = (await account.call('POST /v1/webhooks', webhook)).json().id

    for (const route of routes) {
      for (const [name, example] of Object.entries(route.examples ?? {})) {
        await t.test(`the example ${name} of ${route.operationId} works`, async () => {
          const { query = {}, body, status, response: shown } = example
          const path = route.path
            .replace(':job_id', idOf[route.operationId] ?? idOf[route.family] ?? '')
            .replace(':webhook_id', webhookId)
          const search = new URLSearchParams(query).toString()
          const sent =
            body === undefined
              ? undefined
              : JSON.parse(JSON.stringify(body).replaceAll('https://example.com', site.origin))

          const response = await account.call(`${route.method} ${path}?${search}`, sent)

          assert.equal(response.statusCode, status, response.text)
          if (response.headers['content-type']?.startsWith('application/json')) {
            bodyOf(route, status)?.parse(response.json())
          }
          if (shown !== undefined) {
            assert.deepEqual(fieldsOf(response.json()), fieldsOf(shown as object))
          }
        })
      }
    }
  })
})

/** The ids of jobs for the examples, by family, and by operation where it needs a special one. */
async function createJobs(
  account: TestAccount,
  site: PageSite,
): Promise<Record<string, string | undefined>> {
  // It never responds, so that its jobs are still running when an example cancels them.
  site.page('/held', () => undefined)
  const start = async (path: string, body: object) => {
    const response = await account.call(`POST ${path}`, body)
    return response.headers['x-job-id'] ?? ''
  }
  const failing = { urls: [closedPortUrl], configurations: { retries: { useRetries: false } } }
  const failed = await start('/v1/batch', failing)
  const isOver = async () =>
    (await account.call(`GET /v1/batch/${failed}`)).json().completed_at !== null
  await until(isOver)
  return {
    extract: await start('/v1/extract', { url: site.url('/article'), formats: ['markdown'] }),
    getExtractFile: await start('/v1/extract', { url: site.url('/image') }),
    search: '01890000-0000-7000-8000-000000000000',
    batch: await start('/v1/batch', { urls: [site.url('/article')] }),
    cancelBatch: await start('/v1/batch', { urls: [site.url('/held')] }),
    retryFailedOfBatch: failed,
    crawl: await start('/v1/crawl', { url: site.url('/article') }),
    cancelCrawl: await start('/v1/crawl', { url: site.url('/held') }),
    map: await start('/v1/map', { url: site.url('/') }),
  }
}

/** The names of the fields, and of those inside `data` and `metadata`, which are all that is stable. */
const fieldsOf = (body: object) =>
  Object.entries(body).flatMap(([name, value]) => [
    name,
    ...(name === 'data' || name === 'metadata'
      ? Object.keys(value ?? {}).map((inner) => `${name}.${inner}`)
      : []),
  ])
