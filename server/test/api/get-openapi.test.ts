import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { routes } from '../../src/http/routes.ts'
import { createTestApp } from '../support/test-app.ts'

test('the document is served as it is checked in', async (t) => {
  const { app } = createTestApp(t)
  const answer = await app.inject('/openapi.json')
  const checkedIn = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')

  assert.equal(answer.statusCode, 200)
  assert.deepEqual(answer.json(), JSON.parse(checkedIn))
})

test('it is OpenAPI 3.1 and describes every route with its answers', async (t) => {
  const { app } = createTestApp(t)
  const document = (await app.inject('/openapi.json')).json()

  assert.equal(document.openapi, '3.1.0')
  for (const route of routes) {
    const operation =
      document.paths[route.path.replace(/:(\w+)/g, '{$1}')][route.method.toLowerCase()]
    assert.equal(operation.operationId, route.operationId)
    assert.ok(operation.responses[route.answer.status], route.operationId)
    assert.ok(operation.responses[500], route.operationId)
    assert.ok(operation.responses[503] || route.isProbe, route.operationId)
  }
})

test('every reference in it leads to a component', async (t) => {
  const { app } = createTestApp(t)
  const answer = await app.inject('/openapi.json')
  const { components } = answer.json()

  for (const [, name = ''] of answer.body.matchAll(/"\$ref":"([^"]+)"/g)) {
    assert.ok(name.replace('#/components/schemas/', '') in components.schemas, name)
  }
})
