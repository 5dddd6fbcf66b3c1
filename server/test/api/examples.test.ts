/** The requests that the OpenAPI document shows are run as they stand, against a site of the test. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { z } from 'zod'
import { isForOperator } from '../../src/http/family.ts'
import { describeApi, isDescribed } from '../../src/http/openapi/describe-api.ts'
import { resolveOperation } from '../../src/http/openapi/operations.ts'
import type { Route } from '../../src/http/route.ts'
import { routes as allRoutes } from '../../src/http/routes.ts'
import { callApi } from '../support/call-api.ts'
import { type PageSite, startPageSite } from '../support/page-site.ts'
import { pdfOf } from '../support/pdf-of.ts'
import { callbackPath, closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const routes = allRoutes.filter(isDescribed)

test('every operation has an example, with its body and, where that is JSON, its response', () => {
  const isComplete = ({ body, response, otherResponses = [], examples = {} }: Route) => {
    const shown = Object.values(examples)
    const isPlain = (response.contentType ?? 'application/json').startsWith('application/json')
    const isShown = shown.some((one) => one.response !== undefined)
    return (
      shown.length > 0 &&
      (!body || isOptional(body) || shown.every((one) => one.body !== undefined)) &&
      (isShown || !isPlain || otherResponses.length > 0 || withoutResponse.has(shown[0]?.status))
    )
  }

  const incomplete = routes.filter((route) => !isComplete(route))

  assert.deepEqual(
    incomplete.map(({ operationId }) => operationId).filter((id) => !isFreeForm.has(id)),
    [],
  )
})

const isOptional = (body: z.ZodType) => body.safeParse(undefined).success

// A deletion has no body, and the examples of the search are refusals.
const withoutResponse = new Set<number | undefined>([204, 404, 503])
// The document itself, and a result that is the page unless the task asked for JSON.
const isFreeForm = new Set(['getOpenapi', 'getTaskResult'])

// It needs the image of a browser, and has a test of its own.
const needsBrowser = new Set(['getTaskScreenshot'])

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
    site.page('/callback', '')
    site.page('/events', '')
    site.page('/paper.pdf', (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/pdf' })
        .end(pdfOf([[[11, 50, 700, 'A paper']]])),
    )
    site.page('/image', (_, response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end('\x89PNG'),
    )
    const password = 'correct horse battery staple'
    const environment = { ...reachingLoopback, TRAWL_PASSWORD: password }
    const { url, createAccount, credentials } = await start(t, { environment })
    const account = await createAccount()
    const asOperator = { 'x-api-key': credentials?.apiKey ?? '' }
    const idOf = await createJobs(account, site)

    for (const route of routes.filter(({ operationId }) => !needsBrowser.has(operationId))) {
      for (const [name, example] of Object.entries(route.examples ?? {})) {
        await t.test(`the example ${name} of ${route.operationId} works`, async () => {
          const { query = {}, body, status, response: shown } = example
          const path = route.path
            .replace(
              /:(?:job|task|request)_id/,
              idOf[route.operationId] ?? idOf[route.family] ?? idOf['extract'] ?? '',
            )
            .replace(':webhook_id', idOf[`${route.operationId}Webhook`] ?? idOf['webhook'] ?? '')
            .replace(/:(\w+_id)/, (_, name: string) => idOf[name] ?? '')
          const search = new URLSearchParams(query).toString()
          const sent =
            body === undefined
              ? undefined
              : JSON.parse(JSON.stringify(body).replaceAll('https://example.com', site.origin))

          // The body of a stream never ends; its head has the same status.
          const isStream = route.response.items !== undefined
          const method = isStream ? 'HEAD' : route.method
          const request = `${method} ${path}?${search}`
          const response = isForOperator(route.family)
            ? await callApi(url, request, { headers: asOperator })
            : await account.call(request, sent)

          assert.equal(response.statusCode, status, response.text)
          assert.deepEqual(undocumentedHeaders(route, status, response.headers), [])
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
  const webhook = { url: site.url('/events'), event_type: 'extract_completed' }
  const subscribe = async () => (await account.call('POST /v1/webhooks', webhook)).json().id
  const webhookId = await subscribe()
  const submit = async (path: string) => {
    const callbackUrl = site.url('/callback')
    const body = { url: site.url(path), callbackUrl, metadata: { order: 17 } }
    return (await account.call(`POST ${callbackPath}`, body)).json().requestId
  }
  const delivered = await submit('/article')
  const deliveries = async () =>
    (await account.call(`GET /v1/webhooks/${webhookId}/deliveries`)).json().items
  await until(async () => (await deliveries()).length > 0)
  return {
    webhook: webhookId,
    deleteWebhookWebhook: await subscribe(),
    delivery_id: (await deliveries())[0].id,
    scraper: delivered,
    cancelTask: await submit('/held'),
    extract: await start('/v1/extract', { url: site.url('/article'), formats: ['markdown'] }),
    getExtractFile: await start('/v1/extract', { url: site.url('/image') }),
    search: '01890000-0000-7000-8000-000000000000',
    batch: await start('/v1/batch', { urls: [site.url('/article')] }),
    cancelBatch: await start('/v1/batch', { urls: [site.url('/held')] }),
    retryFailedOfBatch: failed,
    crawl: await start('/v1/crawl', { url: site.url('/article') }),
    cancelCrawl: await start('/v1/crawl', { url: site.url('/held') }),
    map: await start('/v1/map', { url: site.url('/') }),
    jobs: failed,
    cancelTaskById: await start('/v1/extract', {
      url: site.url('/held'),
      processing_mode: 'async',
    }),
    key_id: (await account.call('POST /v1/keys', {})).json().id,
  }
}

/** Headers that a client may want to read, but that the document does not name for this response. */
function undocumentedHeaders(route: Route, status: number, sent: object): string[] {
  const path = route.path.replace(/:(\w+)/g, '{$1}')
  const operation = document.paths[path]?.[route.method.toLowerCase()]
  const described = operation && resolveOperation(document, operation).responses[status]?.headers
  const names = new Set(Object.keys(described ?? {}).map((name) => name.toLowerCase()))
  return Object.keys(sent).filter((name) => documentedHeaders.has(name) && !names.has(name))
}

const document = describeApi(routes)
const documentedHeaders = new Set(
  Object.keys(document.components.headers).map((name) => name.toLowerCase()),
)

/** The names of the fields, and of those inside `data` and `metadata`, which are all that is stable. */
const fieldsOf = (body: object) =>
  Object.entries(body).flatMap(([name, value]) => [
    name,
    ...((name === 'data' || name === 'metadata') && !Array.isArray(value)
      ? Object.keys(value ?? {}).map((inner) => `${name}.${inner}`)
      : []),
  ])
