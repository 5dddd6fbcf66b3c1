import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createTestApp } from '../support/test-app.ts'

test('the reference page allows its script by hash, and no other script', async (t) => {
  const { app } = createTestApp(t)

  const script = await app.inject('/reference.js')
  const { headers, body } = await app.inject('/reference')

  assert.equal(script.statusCode, 200)
  assert.equal(script.headers['content-type'], 'text/javascript; charset=utf-8')
  const hash = `sha256-${createHash('sha256').update(script.body).digest('base64')}`
  const policy = String(headers['content-security-policy'])
  assert.ok(policy.includes(`script-src '${hash}';`), policy)
  assert.ok(policy.includes("connect-src 'self';"), policy)
  assert.deepEqual(body.match(/<script[^>]*>/g), [
    `<script src="/reference.js" integrity="${hash}" defer>`,
  ])
  assert.doesNotMatch(body, / on\w+="| style="|javascript:/)
})

test('the reference page has no form before its script runs, and all of its text', async (t) => {
  const { app } = createTestApp(t)

  const { body } = await app.inject('/reference')

  assert.doesNotMatch(body, /<(?:form|input|button)/)
  assert.ok(body.includes('id="extractPage"') && body.includes('id="onBatchCompleted"'))
})
