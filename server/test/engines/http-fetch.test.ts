import assert from 'node:assert/strict'
import test from 'node:test'
import { gunzipSync } from 'node:zlib'
import { startTestSite } from '../support/test-site.ts'
import { sitePage } from '../support/test-site-routes.ts'
import { openEngine, textOf } from './open-engine.ts'

test('a page has its status, URL, headers and body', async (t) => {
  const site = await startTestSite(t)

  const fetched = await openEngine(t).fetch(site.url('/'))

  const { statusCode, url, headers, cookies } = fetched.page
  assert.deepEqual([statusCode, url, cookies], [200, site.url('/'), []])
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(textOf(fetched), sitePage)
})

test('a response with any status is a page', async (t) => {
  const site = await startTestSite(t)
  const engine = openEngine(t)

  for (const code of [204, 304, 400, 403, 404, 429, 500, 503]) {
    const { page } = await engine.fetch(site.url(`/status/${code}`))
    assert.equal(page.statusCode, code)
  }
})

test('the body of a page stays encoded as the target sent it', async (t) => {
  const site = await startTestSite(t)

  const { page } = await openEngine(t).fetch(site.url('/encoded/gzip'))

  assert.equal(page.headers['content-encoding'], 'gzip')
  assert.equal(gunzipSync(page.body).toString(), sitePage)
})

test('repeated headers are joined, and Set-Cookie is not among the headers', async (t) => {
  const site = await startTestSite(t)
  const path = '/headers?x-a=1&x-a=2&vary=b&set-cookie=c%3D1&constructor=d'

  const { headers } = (await openEngine(t).fetch(site.url(path))).page

  assert.deepEqual([headers['x-a'], headers['vary']], ['1, 2', 'b'])
  assert.equal(headers['constructor'], 'd')
  assert.equal('set-cookie' in headers, false)
})

test('a fragment is neither sent nor part of the final URL', async (t) => {
  const site = await startTestSite(t)

  const { page } = await openEngine(t).fetch(site.url('/page/one?a=b#part'))

  assert.equal(page.url, site.url('/page/one?a=b'))
  assert.equal(site.requests[0]?.path, '/page/one?a=b')
})

test('bytes, requests and timings are summed over all redirects', async (t) => {
  const site = await startTestSite(t)
  const engine = openEngine(t)

  const { page, timings } = await engine.fetch(site.url('/chain/2'), { isMeasured: true })

  assert.equal(page.bandwidth.requests, 3)
  assert.ok(page.bandwidth.sent > 3 * 200)
  assert.ok(page.bandwidth.received > 3 * 50)
  assert.ok(timings.connectMs > 0 && timings.firstByteMs > 0)
  assert.deepEqual(
    page.requests.map(({ url, statusCode, isBlocked }) => [url, statusCode, isBlocked]),
    [
      [site.url('/chain/2'), 302, false],
      [site.url('/chain/1'), 302, false],
      [site.url('/chain/0'), 200, false],
    ],
  )
  const received = page.requests.reduce((sum, { bytes }) => sum + bytes, 0)
  assert.equal(received, page.bandwidth.received)
})

test('credentials in the URL are sent as HTTP Basic and appear nowhere else', async (t) => {
  const site = await startTestSite(t)
  const engine = openEngine(t)
  const withUser = (path: string) => site.url(path).replace('//', '//user:pass@')

  const { page } = await engine.fetch(withUser('/basic'))
  const failure = await engine.fetch(withUser('/reset')).catch((error) => error)

  assert.deepEqual([page.statusCode, page.url], [200, site.url('/basic')])
  assert.equal(JSON.stringify(page.requests).includes('pass'), false)
  assert.equal(failure.code, 'TARGET_UNREACHABLE')
  assert.equal(failure.message.includes('pass'), false)
})

test('credentials in the URL are percent-decoded, and a lone per cent sign is kept', async (t) => {
  const site = await startTestSite(t)

  await openEngine(t).fetch(site.url('/').replace('//', '//%C3%BC%40:50%@'))

  const expected = `Basic ${Buffer.from('ü@:50%').toString('base64')}`
  assert.equal(site.requests[0]?.headers.authorization, expected)
})
