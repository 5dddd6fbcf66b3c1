/** The HTTP engine through a proxy: every hop, every byte. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFails } from '../support/assert-fails.ts'
import { startCountingProxy } from '../support/counting-proxy.ts'
import { hideTargets } from '../support/hidden-targets.ts'
import { startTestSite } from '../support/test-site.ts'
import { openEngine, textOf } from './open-engine.ts'

for (const protocol of ['http', 'socks5'] as const) {
  test(`redirects go through the proxy as well, and bytes are its own count: ${protocol}`, async (t) => {
    const site = await startTestSite(t)
    const { canaries, dns, places, authorityOf } = await hideTargets(t, {
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

test('what a proxy does wrong is PROXY_FAILED, and says nothing of where it is', async (t) => {
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

test('where a redirect leads to what is private the proxy is not asked for it', async (t) => {
  const site = await startTestSite(t)
  const proxy = await startCountingProxy(t)
  const { fetch } = openEngine(t, { allow: '127.0.0.1' })

  for (const to of ['http://10.0.0.1/', 'https://169.254.169.254/', 'http://printer.local/']) {
    const url = site.url(`/redirect/302?to=${encodeURIComponent(to)}`)
    await assertFails('URL_NOT_ALLOWED', fetch(url, { proxy: proxy.route }))
  }

  assert.ok(proxy.asked.every(({ target }) => target.startsWith(site.origin)))
})
