import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import test from 'node:test'
import { startTestDns } from '../support/test-dns.ts'
import { startTestSite } from '../support/test-site.ts'
import { openEngine } from './open-engine.ts'

const cases = {
  '/cut': 'BAD_RESPONSE',
  '/garbage': 'BAD_RESPONSE',
  '/big-headers/40000': 'BAD_RESPONSE',
  '/big/20971521': 'RESPONSE_TOO_LARGE',
  '/endless': 'RESPONSE_TOO_LARGE',
  '/reset': 'TARGET_UNREACHABLE',
}

for (const [path, code] of Object.entries(cases)) {
  test(`fetching ${path} fails with ${code}`, async (t) => {
    const site = await startTestSite(t)

    await assert.rejects(openEngine(t).fetch(site.url(path)), { name: 'Failure', code })
  })
}

test('a response of 20 MiB is accepted', async (t) => {
  const site = await startTestSite(t)

  const { page } = await openEngine(t).fetch(site.url('/big/20971520'))

  assert.equal(page.body.byteLength, 20_971_520)
})

for (const path of ['/silent', '/stuck', '/slow/60000']) {
  test(`fetching ${path} times out at the task’s deadline`, async (t) => {
    const site = await startTestSite(t)

    const fetched = openEngine(t).fetch(site.url(path), { timeoutMs: 200 })

    await assert.rejects(fetched, {
      code: 'TARGET_TIMEOUT',
      message:
        /within 200 ms; raise .+ A response has to begin within 30 s, whatever the timeout\.$/,
    })
  })
}

test('the deadline covers all redirects together', async (t) => {
  const site = await startTestSite(t)
  const to = encodeURIComponent('/silent')

  const fetched = openEngine(t).fetch(site.url(`/redirect/302?to=${to}`), { timeoutMs: 300 })

  await assert.rejects(fetched, { code: 'TARGET_TIMEOUT' })
  assert.equal(site.requests.length, 2)
})

test('an aborted fetch rejects with the reason of its signal', async (t) => {
  const site = await startTestSite(t)
  const giving = new AbortController()
  const reason = new Error('nobody waits any more')

  const fetched = openEngine(t).fetch(site.url('/silent'), { signal: giving.signal })
  await site.waitForRequest('/silent')
  giving.abort(reason)

  await assert.rejects(fetched, (error) => error === reason)
})

test('a fetch that is aborted before it begins sends nothing', async (t) => {
  const site = await startTestSite(t)
  const reason = new Error('too late')

  const fetched = openEngine(t).fetch(site.url('/'), { signal: AbortSignal.abort(reason) })

  await assert.rejects(fetched, (error) => error === reason)
  assert.equal(site.requests.length, 0)
})

test('a fetch fails with SHUTTING_DOWN when the client is closed', async (t) => {
  const site = await startTestSite(t)
  const engine = openEngine(t)

  const refused = assert.rejects(engine.fetch(site.url('/silent')), { code: 'SHUTTING_DOWN' })
  await site.waitForRequest('/silent')
  await engine.close()

  await refused
})

test('a target with a closed port fails with TARGET_UNREACHABLE', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  server.close()
  await once(server, 'close')

  await assert.rejects(openEngine(t).fetch(`http://127.0.0.1:${port}/`), {
    code: 'TARGET_UNREACHABLE',
  })
})

test('a target without TLS at an https URL fails with TARGET_TLS_FAILED', async (t) => {
  const site = await startTestSite(t)

  await assert.rejects(openEngine(t).fetch(site.url('/').replace('http:', 'https:')), {
    code: 'TARGET_TLS_FAILED',
  })
})

test('a name that does not exist fails with TARGET_DNS_FAILED', async (t) => {
  const dns = await startTestDns(t)

  await assert.rejects(openEngine(t, { dns }).fetch('http://nobody.example.com/'), {
    code: 'TARGET_DNS_FAILED',
  })
})

test('without a DNS server that answers, a fetch fails with TARGET_DNS_FAILED and says so', async (t) => {
  const engine = openEngine(t, { dns: { address: '127.0.0.1:1' } })

  await assert.rejects(engine.fetch('http://somebody.example.com/'), {
    code: 'TARGET_DNS_FAILED',
    message: /^No DNS server answered.+TRAWL_DNS_SERVERS/,
  })
})

test('where the DNS server fails, a fetch does not advise to check the host', async (t) => {
  const dns = await startTestDns(t, { 'somebody.example.com': 'SERVFAIL' })

  await assert.rejects(openEngine(t, { dns }).fetch('http://somebody.example.com/'), {
    code: 'TARGET_DNS_FAILED',
    message: /^No DNS server answered.+TRAWL_DNS_SERVERS/,
  })
})

for (const url of ['http://10.0.0.1/', 'http://printer/', 'ftp://example.com/', 'no url', '']) {
  test(`fetching "${url}" fails with URL_NOT_ALLOWED`, async (t) => {
    await assert.rejects(openEngine(t).fetch(url), { code: 'URL_NOT_ALLOWED' })
  })
}
