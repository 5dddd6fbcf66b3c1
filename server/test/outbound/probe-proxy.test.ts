import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { ProxyRoute } from '../../src/domain/proxy/proxy.ts'
import { createEgressGuard } from '../../src/outbound/guard/egress-guard.ts'
import { createGuardedConnect } from '../../src/outbound/guarded-connect.ts'
import { createResolver } from '../../src/outbound/resolver.ts'
import { probeProxy } from '../../src/outbound/upstream-proxy/probe-proxy.ts'
import { startCountingProxy } from '../support/counting-proxy.ts'
import { startTestSite } from '../support/test-site.ts'
import { allowing } from './outbound-client.ts'

const pem = readFileSync(new URL('./test-certificate.pem', import.meta.url), 'utf8')
const user = { name: 'trawl', password: 'secret' }
const connect = createGuardedConnect({
  guard: createEgressGuard(allowing('127.0.0.0/8')),
  resolver: createResolver({ servers: ['127.0.0.1:1'] }),
  trustedAuthorities: [pem],
})
const probe = (proxy: ProxyRoute, port: number, deadlineMs = 5_000) =>
  probeProxy(connect, proxy, { host: '127.0.0.1', port, deadlineMs })

for (const protocol of ['http', 'https', 'socks5'] as const) {
  test(`a probe of a ${protocol} proxy returns the time of a tunnel or the problem`, async (t) => {
    const { port } = await startTestSite(t)
    const proxy = await startCountingProxy(t, { protocol, user })
    const wrong = { ...proxy.route, user: { ...user, password: 'wrong' } }

    const beganMs = performance.now()
    const good = await probe(proxy.route, port)
    const tookMs = performance.now() - beganMs
    const unwelcome = await probe(wrong, port)
    proxy.behave('refuse')
    const refused = await probe(proxy.route, port)
    proxy.behave('hang')
    const late = await probe(proxy.route, port, 200)
    proxy.kill()
    const gone = await probe(proxy.route, port)

    assert.ok(good.ok && good.latencyMs > 0 && good.latencyMs <= tookMs)
    const reasons = [unwelcome, refused, late, gone].map((one) => (one.ok ? '' : one.failure))
    const isSocks = protocol === 'socks5'
    assert.equal(
      reasons[0],
      isSocks ? 'The proxy refused the credentials.' : 'The proxy answered CONNECT with 407.',
    )
    assert.equal(
      reasons[1],
      isSocks ? 'The proxy answered: connection refused.' : 'The proxy answered CONNECT with 403.',
    )
    assert.match(reasons[2] ?? '', /in time|in 200 ms/)
    assert.match(reasons[3] ?? '', /ECONNREFUSED/)
    assert.deepEqual(
      proxy.asked.map(({ target }) => target),
      Array(isSocks ? 2 : 3).fill(`127.0.0.1:${port}`),
    )
  })
}
