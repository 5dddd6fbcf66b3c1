import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtDashboard } from '../support/dashboard-files.ts'
import { createTestApp } from '../support/test-app.ts'

test('every address within the dashboard is its page, under a policy without inline code', async (t) => {
  const { app } = createTestApp(t, { dashboard: builtDashboard() })

  for (const url of ['/', '/app/', '/app/tasks', '/app/tasks/1?status=failed']) {
    const { statusCode, headers, body } = await app.inject(url)

    assert.equal(statusCode, 200, url)
    assert.equal(body, '<title>Dashboard</title>')
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /)
    assert.match(policy, /frame-ancestors 'none'; require-trusted-types-for 'script'/)
    assert.doesNotMatch(policy, /unsafe|\*|http/)
  }
})

test('the page is told that nobody is signed in, unless a browser may have kept the cookie back', async (t) => {
  const { app } = createTestApp(t, { dashboard: builtDashboard('<html lang="en">') })
  const cookie = `trawl_session=${'a'.repeat(43)}`
  const isTold = async (headers: Record<string, string>) =>
    (await app.inject({ url: '/', headers })).body.includes('data-signed-out')

  assert.equal(await isTold({ 'sec-fetch-site': 'none' }), true)
  assert.equal(await isTold({ 'sec-fetch-site': 'same-origin' }), true)
  assert.equal(await isTold({ 'sec-fetch-site': 'none', cookie }), false)
  assert.equal(await isTold({ 'sec-fetch-site': 'cross-site' }), false)
  assert.equal(await isTold({}), false)
})

test('until the dashboard is built, its addresses are the plain page that says so and loads again', async (t) => {
  const notice = 'The dashboard is being built.'
  const { app } = createTestApp(t, {
    dashboard: { files: () => undefined, isBuilding: () => true, notice: () => notice },
  })

  for (const url of ['/', '/app/tasks']) {
    const { statusCode, headers, body } = await app.inject(url)

    assert.equal(statusCode, 200)
    assert.match(body, /A first request/)
    assert.ok(body.includes(`<p role="status">${notice}</p>`))
    assert.match(body, /<script>[^<]*location\.reload\(\)/)
    assert.match(String(headers['content-security-policy']), /script-src 'sha256-[\w+/=]{44}';/)
  }
})
