import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtDashboard } from '../support/dashboard-files.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { createTestApp } from '../support/test-app.ts'

test('a file of the dashboard may be kept for good, and is no document of its own', async (t) => {
  const { app } = createTestApp(t, { dashboard: builtDashboard() })

  const { statusCode, headers, body } = await app.inject('/app/assets/main-1.css')

  assert.equal(statusCode, 200)
  assert.equal(body, 'style')
  assert.equal(headers['content-type'], 'text/css; charset=utf-8')
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'")
})

for (const [accepted, encoding, text] of [
  ['gzip, deflate, br, zstd', 'br', 'script in brotli'],
  ['gzip', 'gzip', 'script in gzip'],
  ['br;q=0, *', 'gzip', 'script in gzip'],
  ['gzip;q=0', undefined, 'script'],
  [undefined, undefined, 'script'],
] as const) {
  test(`to "accept-encoding: ${accepted ?? 'none'}" a file is sent as ${encoding ?? 'it is'}`, async (t) => {
    const { app } = createTestApp(t, { dashboard: builtDashboard() })

    const { headers, body } = await app.inject({
      url: '/app/assets/main-1.js',
      headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
    })

    assert.equal(body, text)
    assert.equal(headers['content-encoding'], encoding)
    assert.equal(headers['vary'], 'accept-encoding')
  })
}

test('nothing but the files of the build can be had below /app/assets', async (t) => {
  const { app } = createTestApp(t, { dashboard: builtDashboard() })

  for (const name of [
    'none.js',
    'main-1.js.br',
    '%2e%2e%2findex.html',
    '..%2f..%2fpackage.json',
    '%2fetc%2fpasswd',
    'main-1.js%00.css',
    '__proto__',
  ]) {
    assertFailure(await app.inject(`/app/assets/${name}`), 'NOT_FOUND')
  }
  // What is no name of a file is an address within the dashboard, which is its page.
  const nested = await app.inject('/app/assets/../../package.json')
  assert.ok(nested.statusCode === 404 || nested.body === '<title>Dashboard</title>')
})
