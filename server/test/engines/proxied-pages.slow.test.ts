/** Pages through an upstream proxy: all requests go through it, and none past it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProxyRoute } from '../../src/domain/proxy/proxy.ts'
import { createEgressGuard } from '../../src/outbound/guard/egress-guard.ts'
import { createGuardedConnect } from '../../src/outbound/guarded-connect.ts'
import { createResolver } from '../../src/outbound/resolver.ts'
import { allowing } from '../outbound/outbound-client.ts'
import { assertFails } from '../support/assert-fails.ts'
import { startBrowserScene } from '../support/browser-scene.ts'
import { type CountingProxy, startCountingProxy } from '../support/counting-proxy.ts'
import type { ProxyBehaviour } from '../support/proxy-control.ts'
import { startProxyOnlyTargets } from '../support/proxy-only-targets.ts'
import { until } from '../support/until.ts'
import { pem, startProxiedSite, type Whereabouts } from './proxied-site.ts'

const user = { name: 'trawl', password: 'secret' }
const scripted = {
  js_render: true,
  block_resources: false,
  response_format: 'json',
  optimizations: { loadOnlySameOriginRequests: false },
}
const whole = { ...scripted, mode: 'load', waitForSelector: '#done' }

test('a page through a proxy', async (t) => {
  let where: Whereabouts = { plain: '', sockets: [] }
  const site = await startProxiedSite(t, { whereabouts: () => where })
  const { canaries, dns, places, authorityOf } = await startProxyOnlyTargets(t, {
    'plain.example.com': site.plainPort,
    'other.example.com': site.plainPort,
    'secure.example.com': site.securePort,
    'silent.example.com': site.securePort,
  })
  const plain = authorityOf('plain.example.com')
  const other = authorityOf('other.example.com')
  const secure = authorityOf('secure.example.com')
  const silent = authorityOf('silent.example.com')
  where = { plain, other, secure, silent, sockets: [`ws://${plain}/ws`, `wss://${secure}/wss`] }
  const { visit } = await startBrowserScene(t, {
    trusted: pem,
    connect: createGuardedConnect({
      guard: createEgressGuard(allowing('127.0.0.3')),
      resolver: createResolver({ servers: [dns.address] }),
      trustedAuthorities: [pem],
    }),
  })
  const startProxy = (protocol: ProxyRoute['protocol']) =>
    startCountingProxy(t, { protocol, user, places })

  for (const protocol of ['http', 'https', 'socks5'] as const) {
    await t.test(`a page uses only the proxy, and bytes are counted: ${protocol}`, async (t) => {
      const proxy = await startProxy(protocol)
      site.asked.length = 0

      const { page } = await visit(`http://${plain}/start`, whole, { proxy: proxy.route })

      assert.match(Buffer.from(page.body).toString(), /<title>hello,hello<\/title>/)
      assert.deepEqual([...canaries.reached], [])
      assertAskedFor(proxy, site.asked)
      assert.equal(new Set(site.asked).size, 13, site.asked.join())
      assertWithinAPercent(page.bandwidth, proxy.bytes)
      t.diagnostic(`${JSON.stringify(page.bandwidth)}, by the proxy ${JSON.stringify(proxy.bytes)}`)
    })
  }

  const faults: ProxyBehaviour[] = ['unauthorized', 'close', 'reset', 'babble']
  for (const protocol of ['http', 'socks5'] as const) {
    for (const target of [`http://${plain}/all`, `https://${secure}/all`]) {
      const { protocol: scheme } = new URL(target)
      await t.test(`a page is PROXY_FAILED when ${protocol} fails: ${scheme}`, async () => {
        const proxy = await startProxy(protocol)
        for (const fault of faults) {
          proxy.behave(fault)
          const failure = await assertFails(
            'PROXY_FAILED',
            visit(target, scripted, { proxy: proxy.route }),
          )
          assert.equal(failure.message, 'The proxy refused or broke the connection.')
        }
        assert.deepEqual([...canaries.reached], [])
      })
    }
  }

  await t.test('a host that never responds is not blamed on the proxy', async () => {
    site.asked.length = 0
    const visitBeside = async (protocol: ProxyRoute['protocol']) => {
      const proxy = await startProxy(protocol)
      proxy.hold(silent)
      const options = { ...scripted, mode: 'load' }
      const { page } = await visit(`http://${plain}/beside`, options, { proxy: proxy.route })
      assert.ok(proxy.asked.some(({ target }) => target === silent))
      return Buffer.from(page.body).toString()
    }

    const pages = await Promise.all((['http', 'https', 'socks5'] as const).map(visitBeside))

    for (const page of pages) assert.match(page, /The rest of it/)
    // The page, its style and its script, each three times.
    assert.equal(site.asked.length, 9, site.asked.join())
    assert.deepEqual([...canaries.reached], [])
  })

  for (const protocol of ['http', 'socks5'] as const) {
    for (const [held, url] of [
      ['in the middle of the page', `http://${plain}/held`],
      ['half-way through the last resource', `http://${plain}/last`],
      ['half-way through the last resource, over TLS', `https://${secure}/last`],
      ['in the middle of the page, over TLS', `https://${secure}/held`],
      ['before the page arrives', `http://${plain}/never`],
      ['before the page arrives, over TLS', `https://${secure}/never`],
    ] as const) {
      await t.test(`a page is PROXY_FAILED when ${protocol} is killed ${held}`, async () => {
        const proxy = await startProxy(protocol)
        site.asked.length = 0
        const visiting = visit(url, { ...scripted, mode: 'load' }, { proxy: proxy.route })
        visiting.catch(() => undefined)
        const isHeld = () => site.asked.some((asked) => /never|half/.test(asked))
        await until(isHeld)

        proxy.kill()

        await assertFails('PROXY_FAILED', visiting)
        assert.deepEqual([...canaries.reached], [])
      })
    }
  }
})

/** Each request that came was one that the proxy was asked for, by URL or by its tunnel. */
function assertAskedFor({ asked, route }: CountingProxy, urls: readonly string[]): void {
  const targets = asked.map(({ kind, target }) => `${kind} ${target}`)
  for (const url of urls) {
    const { protocol, host } = new URL(url)
    const isRelayed = protocol === 'http:' && route.protocol !== 'socks5'
    const target = isRelayed ? `request ${url}` : `tunnel ${host}`
    assert.ok(targets.includes(target), `${url} came without the proxy`)
  }
  assert.ok(asked.every((one) => one.user === 'trawl:secret'))
}

function assertWithinAPercent(
  ours: { sent: number; received: number },
  theirs: { sent: number; received: number },
): void {
  for (const way of ['sent', 'received'] as const) {
    const difference = Math.abs(ours[way] - theirs[way]) / theirs[way]
    assert.ok(difference < 0.01, `${way}: ${ours[way]}, by the proxy ${theirs[way]}`)
  }
}
