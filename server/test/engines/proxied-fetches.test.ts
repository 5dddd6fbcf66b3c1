/** The HTTP engine through a proxy: every hop, every byte. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Failure } from '../../src/domain/failure.ts'
import { startRawOrigin } from '../outbound/raw-origin.ts'
import { assertFails } from '../support/assert-fails.ts'
import { startCountingProxy } from '../support/counting-proxy.ts'
import { startProxyOnlyTargets } from '../support/proxy-only-targets.ts'
import { startTestSite } from '../support/test-site.ts'
import { until } from '../support/until.ts'
import { openEngine, textOf } from './open-engine.ts'

for (const protocol of ['http', 'socks5'] as const) {
  test(`redirects go through the ${protocol} proxy too, and the byte counts agree`, async (t) => {
    const site = await startTestSite(t)
    const { canaries, dns, places, authorityOf } = await startProxyOnlyTargets(t, {
      'first.example.com': site.port,
      'second.example.com': site.port,
    })
    const proxy = await startCountingProxy(t, { protocol, places })
    const { fetch } = openEngine(t, { dns })
    const [first, second] = ['first.example.com', 'second.example.com'].map(authorityOf)

    const fetched = await fetch(
      `http://${first}/redirect/302?to=${encodeURIComponent(`http://${second}/big/50000`)}`,
      {
        proxy: proxy.route,
        forwardedHeaders: { 'proxy-authorization': 'Basic eDp5', 'proxy-connection': 'close' },
        options: { keep_headers: true },
      },
    )

    assert.equal(textOf(fetched).length, 50_000)
    const { sent, received, requests } = fetched.page.bandwidth
    assert.deepEqual({ sent, received }, proxy.bytes)
    assert.equal(requests, 2)
    assert.equal(proxy.asked.length, 2)
    assert.ok(
      proxy.asked.every(({ target }, index) => target.includes([first, second][index] ?? '-')),
    )
    assert.ok(proxy.asked.every(({ user }) => user === undefined))
    assert.deepEqual([...canaries.reached], [])
  })
}

test("a failing proxy gives PROXY_FAILED without showing the proxy's address", async (t) => {
  const site = await startTestSite(t)
  const proxy = await startCountingProxy(t, { user: { name: 'trawl', password: 'secret' } })
  const { fetch } = openEngine(t)
  const failing = () => assertFails('PROXY_FAILED', fetch(site.url('/'), { proxy: proxy.route }))

  proxy.behave('unauthorized')
  const unwelcome = await failing()
  proxy.behave('close')
  const closed = await failing()
  proxy.kill()
  const gone = await failing()

  for (const { message } of [unwelcome, closed, gone]) {
    assert.equal(message, 'The proxy refused or broke the connection.')
  }
  assert.deepEqual(site.requests, [])
})

test('a redirect to a private address is not requested from the proxy', async (t) => {
  const site = await startTestSite(t)
  const proxy = await startCountingProxy(t)
  const { fetch } = openEngine(t, { allow: '127.0.0.1' })

  for (const to of ['http://10.0.0.1/', 'https://169.254.169.254/', 'http://printer.local/']) {
    const url = site.url(`/redirect/302?to=${encodeURIComponent(to)}`)
    await assertFails('URL_NOT_ALLOWED', fetch(url, { proxy: proxy.route }))
  }

  assert.ok(proxy.asked.every(({ target }) => target.startsWith(site.origin)))
})

/** Answers of which the second half never comes. */
const halves: Record<string, string> = {
  'with a length': 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello',
  'in chunks': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n',
  'that ends where its connection does': 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello',
}

for (const protocol of ['http', 'socks5'] as const) {
  for (const [framing, half] of Object.entries(halves)) {
    test(`a response ${framing} is never half a page when the ${protocol} proxy is killed`, async (t) => {
      const site = await startRawOrigin(t, (socket) => socket.write(half))
      const { canaries, dns, places, authorityOf } = await startProxyOnlyTargets(t, {
        'held.example.com': site.port,
      })
      const proxy = await startCountingProxy(t, { protocol, places })
      const { fetch } = openEngine(t, { dns })
      const fetching = fetch(`http://${authorityOf('held.example.com')}/`, { proxy: proxy.route })
      fetching.catch(() => undefined)
      await until(() => proxy.bytes.received > half.length / 2)

      proxy.kill()

      const { code } = (await fetching.catch((error: unknown) => error)) as Failure
      assert.match(code, /^(PROXY_FAILED|BAD_RESPONSE)$/)
      assert.deepEqual([...canaries.reached], [])
    })
  }

  test(`a response without a length is complete while the ${protocol} proxy is up`, async (t) => {
    const whole = halves['that ends where its connection does'] ?? ''
    const site = await startRawOrigin(t, (socket) => socket.end(whole))
    const proxy = await startCountingProxy(t, { protocol })
    const { fetch } = openEngine(t)

    const fetched = await fetch(site.url, { proxy: proxy.route })

    assert.equal(textOf(fetched), 'hello')
    const { sent, received } = fetched.page.bandwidth
    assert.deepEqual({ sent, received }, proxy.bytes)
  })
}
