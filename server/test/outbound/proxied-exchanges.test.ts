/** Exchanges through a proxy: all of each goes through it, and nothing beside it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { ProxyRoute } from '../../src/domain/proxy/proxy.ts'
import { type CountingProxy, startCountingProxy } from '../support/counting-proxy.ts'
import { startProxyOnlyTargets } from '../support/proxy-only-targets.ts'
import { startTestSite } from '../support/test-site.ts'
import { until } from '../support/until.ts'
import { allowing, openClient } from './outbound-client.ts'

const pem = readFileSync(new URL('./test-certificate.pem', import.meta.url), 'utf8')
const user = { name: 'customer-42-session-a', password: 'p:ass wörd' }
const protocols = ['http', 'https', 'socks5'] as const
const loopback = allowing('127.0.0.0/8')

async function startSecureTarget(t: TestContext): Promise<number> {
  const server = createServer({ key: pem, cert: pem }, ({ headers }, response) => {
    response.end(JSON.stringify(headers))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

async function startScene(
  t: TestContext,
  options: { protocol: ProxyRoute['protocol']; user?: typeof user },
) {
  const site = await startTestSite(t)
  const { canaries, dns, places, authorityOf } = await startProxyOnlyTargets(t, {
    'plain.example.com': site.port,
    'secure.example.com': await startSecureTarget(t),
  })
  return {
    canaries,
    proxy: await startCountingProxy(t, { ...options, places }),
    site,
    client: openClient(t, loopback, { dns, trustedAuthorities: [pem] }),
    plain: `http://${authorityOf('plain.example.com')}`,
    secure: `https://${authorityOf('secure.example.com')}`,
  }
}

const targetsOf = ({ asked }: CountingProxy) => asked.map(({ kind, target }) => `${kind} ${target}`)

for (const protocol of protocols) {
  for (const given of [undefined, user]) {
    const whose = given ? 'with credentials' : 'open to all'
    test(`every exchange goes through the ${protocol} proxy, ${whose}`, async (t) => {
      const { canaries, proxy, client, plain, secure, site } = await startScene(t, {
        protocol,
        ...(given && { user: given }),
      })

      const first = await client.send(`${plain}/echo?a=1`, { proxy: proxy.route })
      const second = await client.send(`${secure}/b?c`, { proxy: proxy.route })

      const tunnel = `tunnel ${new URL(secure).host}`
      assert.deepEqual(
        targetsOf(proxy),
        protocol === 'socks5'
          ? [`tunnel ${new URL(plain).host}`, tunnel]
          : [`request ${plain}/echo?a=1`, tunnel],
      )
      for (const asked of proxy.asked) {
        assert.equal(asked.user, given && `${given.name}:${given.password}`)
      }
      assert.deepEqual([...canaries.reached], [])
      assert.equal(site.requests[0]?.headers.host, new URL(plain).host)
      for (const { body } of [first, second]) {
        const names = Object.keys(JSON.parse(Buffer.from(body).toString()))
        assert.deepEqual(
          names.filter((name) => name.startsWith('proxy')),
          [],
        )
      }
    })
  }

  test(`the client counts the same bytes as the ${protocol} proxy, handshakes included`, async (t) => {
    const { proxy, client, plain, secure } = await startScene(t, { protocol, user })
    const before = { sent: 0, received: 0 }

    for (const url of [`${plain}/big/200000`, `${plain}/big/3`, `${secure}/`, `${secure}/`]) {
      const { bytes } = await client.send(url, { proxy: proxy.route })

      const { sent, received } = proxy.bytes
      assert.deepEqual(bytes, {
        sent: sent - before.sent,
        received: received - before.received,
      })
      Object.assign(before, { sent, received })
    }
  })

  test(`connections through a ${protocol} proxy are reused by exchanges with the same route`, async (t) => {
    const { proxy, client, plain, secure } = await startScene(t, { protocol })
    const as = (name: string) => ({ ...proxy.route, user: { name, password: 'x' } })
    const counts: number[] = []

    for (const url of [`${plain}/echo`, secure]) {
      for (const name of ['a', 'a', 'b', 'a', 'b']) {
        await client.send(url, { proxy: as(name) })
        counts.push(proxy.connections)
      }
    }

    assert.deepEqual(counts, [1, 1, 2, 2, 2, 3, 3, 4, 4, 4])
  })

  test(`a connection through a ${protocol} proxy with a session of one attempt is not pooled`, async (t) => {
    const { proxy, client, plain, secure } = await startScene(t, { protocol })

    for (const url of [`${plain}/echo`, secure]) {
      await client.send(url, { proxy: { ...proxy.route, isForOneAttempt: true } })
    }

    await until(() => proxy.openConnections === 0, { withinMs: 2_000 })
  })
}

for (const protocol of protocols) {
  test(`a ${protocol} proxy is asked for an IP address as it is written`, async (t) => {
    const site = await startTestSite(t)
    const secure = `127.0.0.1:${await startSecureTarget(t)}`
    const [ipv4, ipv6] = ['93.184.215.14', '[2606:2800:21f:cb07:0:f:0:5]']
    const places = {
      [`${ipv4}:80`]: `127.0.0.1:${site.port}`,
      [`${ipv6}:80`]: `127.0.0.1:${site.port}`,
      '127.0.0.1:443': secure,
    }
    const proxy = await startCountingProxy(t, { protocol, places })
    const client = openClient(t, loopback, { trustedAuthorities: [pem] })

    for (const url of [`http://${ipv4}/echo`, `http://${ipv6}/echo`, 'https://127.0.0.1/']) {
      const { statusCode } = await client.send(url, { proxy: proxy.route })
      assert.equal(statusCode, 200)
    }

    assert.deepEqual(
      proxy.asked.map(({ target }) => target),
      protocol === 'socks5'
        ? [`${ipv4}:80`, `${ipv6}:80`, '127.0.0.1:443']
        : [`http://${ipv4}/echo`, `http://${ipv6}/echo`, '127.0.0.1:443'],
    )
  })
}
