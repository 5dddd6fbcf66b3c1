import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { defineRoute, RouteResponse } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes.ts'
import { basicOf, callApi } from '../support/call-api.ts'
import { sendRaw } from '../support/raw-http.ts'
import { callbackPath, reachingLoopback, realtimePath } from '../support/scrape-calls.ts'
import { imageOf, screenshotOptions, startStubWorker } from '../support/stub-worker.ts'
import { createTestApp } from '../support/test-app.ts'
import { startTestService } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

const strict = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

/** The HTML pages of the service; no other route may set its own policy. */
const ownPages = ['GET /', 'GET /app/*', 'GET /reference']

type Headers = Record<string, unknown>

const policyOf = (headers: Headers): Headers =>
  Object.fromEntries(Object.keys(strict).map((name) => [name, headers[name]]))

test('a route that sets no headers serves HTML under the strict content security policy', async (t) => {
  const careless = (path: `/${string}`, handle: () => RouteResponse) =>
    defineRoute('service', {
      operationId: 'careless',
      request: `GET ${path}`,
      summary: 'For tests',
      response: {
        status: 200,
        description: 'HTML.',
        contentType: 'text/html; charset=utf-8',
        body: z.string(),
      },
      handle,
    })
  const { app } = createTestApp(t, {
    routes: [
      careless('/page', () => new RouteResponse('<script>alert(1)</script>')),
      careless('/broken', () => {
        throw new Error('a bug')
      }),
    ],
  })

  for (const url of ['/page', '/broken', '/nope', '/%zz', `/page?${'a'.repeat(9_000)}`]) {
    assert.deepEqual(policyOf((await app.inject(url)).headers), strict, url)
  }
  for (const method of ['HEAD', 'OPTIONS', 'POST'] as const) {
    assert.deepEqual(policyOf((await app.inject({ method, url: '/page' })).headers), strict, method)
  }
})

test('every route responds with the strict policy, with and without credentials', async (t) => {
  const { url, createAccount } = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const { username, password, apiKey } = await createAccount()
  const offers: Record<string, string>[] = [
    {},
    { 'x-api-key': apiKey },
    { authorization: basicOf(username, password) },
    { authorization: basicOf(username, password), origin: 'http://foreign.example' },
    { 'x-api-key': 'wrong' },
  ]

  for (const { method, path } of routes) {
    const known = path.replaceAll(/:\w+/g, '01a1def5-68ae-7e29-9849-4f82ca93e413')
    // A stream of events never ends, but its head does.
    const request = `${path === '/v1/events' ? 'HEAD' : method} ${known}`
    const body = method === 'GET' ? undefined : {}
    for (const headers of offers) {
      const answer = await callApi(url, request, { headers, body })
      const { 'content-security-policy': policy, ...others } = policyOf(answer.headers)
      const { 'content-security-policy': strictPolicy, ...strictOthers } = strict

      assert.deepEqual(others, strictOthers, request)
      if (ownPages.includes(request)) {
        assert.match(String(policy), /^default-src 'none'; /)
        assert.doesNotMatch(String(policy), /unsafe|\*/)
        // Of a page with a script, only that script may run: no other of our origin, and none inline.
        const scripts = /script-src ([^;]*)/.exec(String(policy))?.[1]
        if (path !== '/reference') assert.equal(scripts, undefined)
        else assert.match(String(scripts), /^'sha256-[\w+/=]{44}'$/)
      } else assert.equal(policy, strictPolicy, request)
    }
  }
})

test('responses to malformed requests have the strict policy', async (t) => {
  const { app } = createTestApp(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const head = 'GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n'

  for (const bytes of [
    'NONSENSE\r\n\r\n',
    `${head}bad header\r\n\r\n`,
    `${head}big: ${'a'.repeat(70_000)}\r\n\r\n`,
    'GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n',
  ]) {
    assert.deepEqual(policyOf((await sendRaw(url, bytes)).headers), strict, bytes.slice(0, 80))
  }
})

test('scraped content is served with the strict policy in every format', async (t) => {
  const site = await startTestSite(t)
  const service = await startTestService(t, { environment: reachingLoopback })
  const account = await service.createAccount()
  const target = site.url('/page/cod')

  for (const configurations of [{}, { response_format: 'json' }]) {
    const now = await account.call(`POST ${realtimePath}`, { url: target, configurations })
    const id = now.headers['x-request-id']
    const later = await account.call(`GET ${callbackPath}/${id}/result`)
    const job = await account.call(`GET /v1/extract/${id}`)

    for (const { statusCode, headers } of [now, later, job]) {
      assert.equal(statusCode, 200)
      assert.deepEqual(policyOf(headers), strict)
    }
  }
  const configurations = { retries: { useRetries: false } }
  const failed = await account.call(`POST ${realtimePath}`, {
    url: site.url('/reset'),
    configurations,
  })
  assert.equal(failed.statusCode, 422)
  assert.deepEqual(policyOf(failed.headers), strict)
})

test('only a signed screenshot link may be embedded by other origins', async (t) => {
  const environment = { ...reachingLoopback, TRAWL_ROLES: 'api,delivery' }
  const service = await startTestService(t, { environment })
  const desk = await startStubWorker(t, service)
  const account = await service.createAccount()
  const screenshot = imageOf('png')
  const configurations = { ...screenshotOptions(screenshot, 'binary'), response_format: 'json' }
  const id = await desk.finishTask(account, { configurations, page: { screenshot } })
  const { text } = await account.call(`GET ${callbackPath}/${id}/result`)
  const { pathname, search } = new URL(JSON.parse(text).screenshot.url)
  const own = { 'x-api-key': account.apiKey }
  const policyAt = async (path: string, headers?: Record<string, string>) =>
    policyOf((await callApi(service.url, `GET ${path}`, { headers })).headers)
  const embeddable = { ...strict, 'cross-origin-resource-policy': 'cross-origin' }

  assert.deepEqual(await policyAt(pathname + search), embeddable)
  assert.deepEqual(await policyAt(pathname + search, own), embeddable)
  assert.deepEqual(await policyAt(pathname, own), strict)
  assert.deepEqual(await policyAt(`${pathname}?signature=wrong`, own), strict)
  assert.deepEqual(await policyAt(`${pathname}?signature=wrong`), strict)
  assert.deepEqual(await policyAt(`${callbackPath}/${id}/result${search}`), strict)
})
