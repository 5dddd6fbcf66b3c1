import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { FamilyName } from '../../src/http/family.ts'
import { describeApi, isDescribed } from '../../src/http/openapi/describe-api.ts'
import type { Example, Referable } from '../../src/http/openapi/document.ts'
import { listOperations, resolve } from '../../src/http/openapi/operations.ts'
import { routes as allRoutes } from '../../src/http/routes.ts'
import type { ExtractionError } from '../../src/wire/scrape/responses.ts'
import { basicOf, callApi } from '../support/call-api.ts'
import { callWithRetry } from '../support/retry-while-unavailable.ts'
import { createTestApp } from '../support/test-app.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const routes = allRoutes.filter(isDescribed)

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

  for (const [, kind = '', name = ''] of answer.body.matchAll(/"\$ref":"#\/([^"]+)\/([^"]+)"/g)) {
    assert.ok(name in components[kind.replace('components/', '')], `${kind}/${name}`)
  }
})

const document = describeApi(routes)
const operations = listOperations(document).map(({ operation }) => operation)

test('every OpenAPI operation has an id of its own that can be the name of a method', () => {
  const posted = Object.values(document.webhooks).map(({ post }) => post)
  const ids = [...operations, ...posted].map(({ operationId }) => operationId)

  for (const id of ids) assert.match(id, /^[a-z][a-zA-Z]{2,40}$/)
  assert.equal(new Set(ids).size, ids.length)
})

test('every error response of the OpenAPI document has an example of each of its codes', () => {
  const failed = operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, response]) =>
      Number(status) >= 400 ? [{ where: `${operationId} ${status}`, status, ...response }] : [],
    ),
  )

  for (const { where, status, description, content, headers = {} } of failed) {
    const examples = content['application/json']?.examples ?? {}
    for (const [, code = ''] of description.matchAll(/`([A-Z_]+)`: /g)) {
      assert.equal(codeOf(examples[code]), code, where)
    }
    assert.equal('Retry-After' in headers, ['429', '503'].includes(status), where)
    assert.equal('WWW-Authenticate' in headers, status === '401', where)
  }
})

test('no error response of the OpenAPI document is written twice', () => {
  const written = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([status, response]) => Number(status) >= 400 && !('$ref' in response))
    .map(([, response]) => JSON.stringify(response))

  assert.equal(written.length, new Set(written).size)
})

function codeOf(shown: Referable<Example> | undefined): unknown {
  if (!shown) return undefined
  const example = resolve(document.components.examples, shown)
  const value = example.value as { code?: string; error?: ExtractionError }
  return typeof value.error === 'object' ? value.error.details['reason'] : value.code
}

test('no schema of the OpenAPI document has a name that was made up for it', () => {
  for (const name of Object.keys(document.components.schemas)) {
    assert.match(name, /^[A-Z][A-Za-z]+$/)
  }
})

test('no schema of the OpenAPI document has a constant as one of several types', () => {
  const schemas: unknown[] = []
  JSON.stringify(document, (key, value) => {
    if (key === 'anyOf' || key === 'oneOf') schemas.push(...value)
    return value
  })

  assert.ok(schemas.length > 0)
  assert.deepEqual(
    schemas.filter((schema) => Object.hasOwn(Object(schema), 'const')),
    [],
  )
})

test('every pattern of the OpenAPI document is understood outside JavaScript', () => {
  const patterns: string[] = []
  JSON.stringify(document, (key, value) => {
    if (key === 'pattern' && typeof value === 'string') patterns.push(value)
    return value
  })

  assert.ok(patterns.length > 0)
  // Classes and groups that other languages spell in another way, or lack.
  for (const pattern of patterns) assert.doesNotMatch(pattern, /\\p\{|\(\?</)
})

test('page numbers are integers in the OpenAPI document, with their limits and defaults', () => {
  const { parameters = [] } = operations.find((one) => one.operationId === 'getBatch') ?? {}

  assert.deepEqual(
    parameters.filter(({ name }) => name.startsWith('page')).map(({ schema }) => schema),
    [
      { type: 'integer', minimum: 1, default: 1 },
      { type: 'integer', minimum: 1, maximum: 50, default: 10 },
    ],
  )
})

const password = [{ basicAuth: [] }, { sessionAuth: [] }]
const keys = [{ apiKeyAuth: [] }, { bearerAuth: [] }]

test('every OpenAPI operation names the credentials it accepts, or none', async (t) => {
  const { app } = createTestApp(t)
  const { paths, components } = (await app.inject('/openapi.json')).json()
  const expected: Record<FamilyName, object[]> = {
    service: [],
    session: [...password, ...keys],
    configuration: [...password],
    scraper: [...password, ...keys, {}],
    extract: [...password, ...keys, {}],
    batch: [...password, ...keys, {}],
    crawl: [...password, ...keys, {}],
    map: [...password, ...keys, {}],
    jobs: [...password, ...keys, {}],
    usage: [...password, ...keys],
    operator: [...password, ...keys],
    search: [...password, ...keys],
    mcp: [...password, ...keys],
    tasks: [...password, ...keys],
    events: [...password, ...keys],
    keys: [...password],
    webhooks: [...password, ...keys],
  }

  for (const { path, method, family, isOpen, operationId, findLinkOwner } of routes) {
    const { security } = paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
    const byLink = findLinkOwner ? [{ signedLink: [] }] : []
    const sorted = (list: object[]) => list.map((one) => JSON.stringify(one)).sort()
    assert.deepEqual(
      sorted(security),
      sorted([...(isOpen ? [] : expected[family]), ...byLink]),
      operationId,
    )
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
      ['sessionAuth', 'apiKey', 'cookie', 'trawl_session'],
      ['signedLink', 'apiKey', 'query', 'signature'],
    ],
  )
})

test('the security of every OpenAPI operation is what the running service does', async (t) => {
  const { url, credentials } = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  // The first account, which may call every route.
  const { username = '', password: secret = '', apiKey = '' } = credentials ?? {}
  const document = (await callApi(url, 'GET /openapi.json')).json()
  const basic = basicOf(username, secret)
  const signIn = { body: { username, password: secret } }
  const { 'set-cookie': cookie = '' } = (await callApi(url, 'POST /v1/session', signIn)).headers
  const offers: Record<string, Record<string, string>> = {
    basicAuth: { authorization: basic },
    apiKeyAuth: { 'x-api-key': apiKey },
    bearerAuth: { authorization: `Bearer ${apiKey}` },
    sessionAuth: { cookie },
  }
  const isOpen = async (operation: string, headers: Record<string, string>) => {
    const path = operation.replaceAll(/\{\w+\}/g, '01a1def5-68ae-7e29-9849-4f82ca93e413')
    // A stream of events never ends, but its head does.
    const request = path.replace('GET /v1/events', 'HEAD /v1/events')
    const body = /^(GET|HEAD)/.test(request) ? undefined : '{'
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
  const body = { ips: [{ ip: '127.0.0.1' }] }
  const ownAddress = { headers: { authorization: basic }, body }
  await callApi(url, 'POST /api/configuration/active/whitelisted-ips', ownAddress)
  await until(() => isOpen('GET /api/scraper/scrape/callback', {}))
  for (const { request, security } of operations) {
    const isOptional =
      security.length === 0 || security.some((one) => Object.keys(one).length === 0)
    assert.equal(await isOpen(request, {}), isOptional, request)
  }
})
