import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { FamilyName } from '../../src/http/family.ts'
import { routes } from '../../src/http/routes.ts'
import { basicOf, callApi } from '../support/call-api.ts'
import { callWithRetry } from '../support/retry-while-unavailable.ts'
import { createTestApp } from '../support/test-app.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

test('GET /openapi.json serves the checked-in document', async (t) => {
  const { app } = createTestApp(t)
  const answer = await app.inject('/openapi.json')
  const checkedIn = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')

  assert.equal(answer.statusCode, 200)
  assert.deepEqual(answer.json(), JSON.parse(checkedIn))
})

test('the OpenAPI document is version 3.1 and describes every route with its responses', async (t) => {
  const { app } = createTestApp(t)
  const document = (await app.inject('/openapi.json')).json()

  assert.equal(document.openapi, '3.1.0')
  for (const route of routes) {
    const operation =
      document.paths[route.path.replace(/:(\w+)/g, '{$1}')][route.method.toLowerCase()]
    assert.equal(operation.operationId, route.operationId)
    assert.ok(operation.responses[route.response.status], route.operationId)
    assert.ok(operation.responses[500], route.operationId)
    assert.ok(operation.responses[503] || route.isProbe, route.operationId)
  }
})

test('every reference in the OpenAPI document leads to a component', async (t) => {
  const { app } = createTestApp(t)
  const answer = await app.inject('/openapi.json')
  const { components } = answer.json()

  for (const [, name = ''] of answer.body.matchAll(/"\$ref":"([^"]+)"/g)) {
    assert.ok(name.replace('#/components/schemas/', '') in components.schemas, name)
  }
})

const password = { basicAuth: [] }
const keys = [{ apiKeyAuth: [] }, { bearerAuth: [] }]

test('every OpenAPI operation names the credentials it accepts, or none', async (t) => {
  const { app } = createTestApp(t)
  const { paths, components } = (await app.inject('/openapi.json')).json()
  const expected: Record<FamilyName, object[]> = {
    service: [],
    configuration: [password],
    scraper: [password, ...keys, {}],
    extract: [password, ...keys, {}],
    batch: [password, ...keys, {}],
    crawl: [password, ...keys, {}],
    map: [password, ...keys, {}],
    usage: [password, ...keys],
    search: [password, ...keys],
    webhooks: [password, ...keys],
  }

  for (const { path, method, family, operationId, findLinkOwner } of routes) {
    const { security } = paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
    const byLink = findLinkOwner ? [{ signedLink: [] }] : []
    const sorted = (list: object[]) => list.map((one) => JSON.stringify(one)).sort()
    assert.deepEqual(sorted(security), sorted([...expected[family], ...byLink]), operationId)
    for (const name of security.flatMap(Object.keys)) assert.ok(name in components.securitySchemes)
  }
  assert.deepEqual(
    Object.entries(components.securitySchemes).map(([name, one]) => {
      const { type, scheme, in: where, name: header } = one as Record<string, string>
      return [name, type, scheme ?? where, header]
    }),
    [
      ['basicAuth', 'http', 'basic', undefined],
      ['apiKeyAuth', 'apiKey', 'header', 'X-Api-Key'],
      ['bearerAuth', 'http', 'bearer', undefined],
      ['signedLink', 'apiKey', 'query', 'signature'],
    ],
  )
})

test('the security of every OpenAPI operation is what the running service does', async (t) => {
  const { url, createAccount } = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const { username, password: secret, apiKey, call } = await createAccount()
  const document = (await callApi(url, 'GET /openapi.json')).json()
  const basic = basicOf(username, secret)
  const offers: Record<string, Record<string, string>> = {
    basicAuth: { authorization: basic },
    apiKeyAuth: { 'x-api-key': apiKey },
    bearerAuth: { authorization: `Bearer ${apiKey}` },
  }
  const isOpen = async (operation: string, headers: Record<string, string>) => {
    const request = operation.replaceAll(/\{\w+\}/g, '01a1def5-68ae-7e29-9849-4f82ca93e413')
    const body = request.startsWith('GET') ? undefined : '{'
    const { statusCode } = await callWithRetry(() => callApi(url, request, { headers, body }))
    return ![401, 403].includes(statusCode)
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { security: Record<string, never[]>[] }>).map(
      ([method, { security }]) => ({ request: `${method.toUpperCase()} ${path}`, security }),
    ),
  )
  const has = (security: object[], name: string) => security.some((one) => name in one)

  for (const { request, security } of operations) {
    const isFree = security.length === 0
    assert.equal(await isOpen(request, {}), isFree, request)
    for (const [name, headers] of Object.entries(offers)) {
      assert.equal(await isOpen(request, headers), isFree || has(security, name), request)
    }
  }
  await call('POST /api/configuration/active/whitelisted-ips', { ips: [{ ip: '127.0.0.1' }] })
  await until(() => isOpen('GET /api/scraper/scrape/callback', {}))
  for (const { request, security } of operations) {
    const isOptional =
      security.length === 0 || security.some((one) => Object.keys(one).length === 0)
    assert.equal(await isOpen(request, {}), isOptional, request)
  }
})
