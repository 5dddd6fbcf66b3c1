import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDescribed } from '../../src/http/openapi/describe-api.ts'
import { routes } from '../../src/http/routes.ts'
import { createTestApp } from '../support/test-app.ts'

test('GET /llms.txt lists every operation with a link to its place in the reference', async (t) => {
  const { app } = createTestApp(t)

  const { statusCode, headers, body } = await app.inject('/llms.txt')

  assert.equal(statusCode, 200)
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
  assert.match(body, /^# Trawl\n\n> /)
  for (const { method, path, operationId, summary } of routes.filter(isDescribed)) {
    const shown = path.replace(/:(\w+)/g, '{$1}')
    assert.ok(
      body.includes(`- [${method} ${shown}](/reference#${operationId}): ${summary}\n`),
      path,
    )
  }
  const reference = (await app.inject('/reference')).body
  for (const [, anchor] of body.matchAll(/\/reference#(\w+)/g)) {
    assert.ok(reference.includes(`id="${anchor}"`), anchor)
  }
})
