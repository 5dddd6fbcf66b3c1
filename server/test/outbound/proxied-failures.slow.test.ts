/** Proxies that do not do what they are for, and targets that no proxy may be asked for. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import type { ProxyRoute } from '../../src/domain/proxy/proxy.ts'
import type { OutboundError, OutboundProblem } from '../../src/outbound/outbound-error.ts'
import { createResolver } from '../../src/outbound/resolver.ts'
import { startCanaries } from '../support/canaries.ts'
import { startCountingProxy } from '../support/counting-proxy.ts'
import { forbiddenUrls } from '../support/forbidden-addresses.ts'
import type { ProxyBehaviour } from '../support/proxy-control.ts'
import { type DnsReply, startTestDns } from '../support/test-dns.ts'
import { startTestSite } from '../support/test-site.ts'
import { allowing, closed, openClient, problemOf } from './outbound-client.ts'
import { startRawOrigin } from './raw-origin.ts'

const pem = readFileSync(new URL('./test-certificate.pem', import.meta.url), 'utf8')
const user = { name: 'trawl', password: 'secret' }
const protocols = ['http', 'https', 'socks5'] as const
const faults: readonly ProxyBehaviour[] = [
  'refuse',
  'unauthorized',
  'close',
  'reset',
  'hang',
  'babble',
]
/** What no target can bring about, by whether a tunnel is asked for or a request is passed on. */
const certain: Record<ProxyRoute['protocol'], Record<'tunnel' | 'relay', ProxyBehaviour[]>> = {
  http: { tunnel: ['unauthorized', 'babble'], relay: [] },
  https: {
    tunnel: ['unauthorized', 'babble', 'close', 'reset', 'hang'],
    relay: ['close', 'reset', 'hang'],
  },
  socks5: { tunnel: ['unauthorized', 'babble', 'close', 'reset', 'hang'], relay: [] },
}
const loopback = allowing('127.0.0.0/8')
const hurried = { limits: { connectMs: 400, headersMs: 400 } }
const told = 'The proxy refused or broke the connection.'

const routeTo = (port: number, protocol: ProxyRoute['protocol'] = 'http'): ProxyRoute => ({
  label: 'raw',
  protocol,
  host: '127.0.0.1',
  port,
  user,
})

function assertProxyFailed(
  error: OutboundError,
  problem: 'proxy' | 'proxy_unusable' = 'proxy_unusable',
): void {
  assert.equal(error.problem, problem, String(error.cause))
  assert.equal(error.message, told)
  // The cause is for the operator's log, to whom the address is known.
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    assert.doesNotMatch(`${cause.stack}`, /secret|dHJhd2w6c2VjcmV0/)
  }
}

for (const protocol of protocols) {
  test(`every misbehaviour of a ${protocol} proxy is reported as the proxy's failure`, async (t) => {
    const [canary] = (await startCanaries(t, ['target'])).all
    const proxy = await startCountingProxy(t, { protocol, user })
    const client = openClient(t, loopback, { trustedAuthorities: [pem] })
    for (const fault of faults) {
      proxy.behave(fault)
      for (const scheme of ['http', 'https']) {
        await t.test(
          `a proxy that does "${fault}" for ${scheme} is reported as failed`,
          async () => {
            const asked = client.send(`${scheme}://${canary?.authority}/`, {
              proxy: proxy.route,
              ...hurried,
            })
            const isRelayed = scheme === 'http' && protocol !== 'socks5'

            if (fault === 'refuse' && isRelayed) {
              // Which may as well be the target's own word.
              assert.equal((await asked).statusCode, 403)
            } else if (fault === 'hang' && isRelayed && protocol === 'http') {
              assert.equal((await problemOf(asked)).problem, 'timeout')
            } else {
              const isCertain = certain[protocol][isRelayed ? 'relay' : 'tunnel'].includes(fault)
              assertProxyFailed(await problemOf(asked), isCertain ? 'proxy_unusable' : 'proxy')
            }
          },
        )
      }
    }
  })

  test(`wrong credentials for a ${protocol} proxy are reported as the proxy's failure`, async (t) => {
    const site = await startTestSite(t)
    const proxy = await startCountingProxy(t, { protocol, user })
    const client = openClient(t, loopback, { trustedAuthorities: [pem] })

    for (const other of [undefined, { ...user, password: 'wrong' }]) {
      const route = { ...proxy.route, user: other }
      // A 407 to a request that it passes on might be its target's.
      assertProxyFailed(
        await problemOf(client.send(site.url('/'), { proxy: route })),
        protocol === 'socks5' ? 'proxy_unusable' : 'proxy',
      )
    }

    assert.deepEqual(site.requests, [])
  })

  test(`an unreachable ${protocol} proxy is unusable, and no request bypasses it`, async (t) => {
    const canaries = await startCanaries(t, ['target'])
    const proxy = await startCountingProxy(t, { protocol })
    const client = openClient(t, loopback, { trustedAuthorities: [pem] })
    proxy.kill()

    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${canaries.all[0]?.authority}/`
      assertProxyFailed(await problemOf(client.send(url, { proxy: proxy.route })))
    }

    assert.deepEqual([...canaries.reached], [])
  })

  test(`an idle connection that the ${protocol} proxy has closed is reopened`, async (t) => {
    const site = await startTestSite(t)
    const proxy = await startCountingProxy(t, { protocol, user })
    const client = openClient(t, loopback, { trustedAuthorities: [pem] })
    const send = () => client.send(site.url('/page/a'), { proxy: proxy.route })
    await send()
    proxy.hangUp()

    assert.equal((await send()).statusCode, 200)
    assert.equal(proxy.connections, 2)

    proxy.hangUp()
    proxy.behave('unauthorized')
    assertProxyFailed(await problemOf(send()), protocol === 'socks5' ? 'proxy_unusable' : 'proxy')
  })
}

test('a proxy with an unknown name or an invalid certificate is unusable', async (t) => {
  const dns = await startTestDns(t, { 'proxy.example.com': { addresses: ['127.0.0.1'] } })
  const proxy = await startCountingProxy(t, { protocol: 'https' })
  const trusting = openClient(t, loopback, { dns, trustedAuthorities: [pem] })
  const careful = openClient(t, loopback, { dns })
  const nameless = { ...proxy.route, host: 'nowhere.example.com' }
  const misnamed = { ...proxy.route, host: 'proxy.example.com' }

  for (const [client, route] of [
    [trusting, nameless],
    [trusting, misnamed],
    [careful, proxy.route],
  ] as const) {
    assertProxyFailed(await problemOf(client.send('http://127.0.0.1/', { proxy: route })))
  }

  assert.deepEqual(proxy.asked, [])
})

/** What a proxy that is spoken to in HTTP says to everything. */
const answers: [name: string, answer: string, OutboundProblem][] = [
  ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}`, 'proxy'],
  ['a status that is none', 'HTTP/1.1 2000 OK\r\n\r\n', 'proxy_unusable'],
  ['another version', 'HTTP/2 200\r\n\r\n', 'proxy_unusable'],
  ['a redirect', 'HTTP/1.1 302 Found\r\nlocation: /\r\n\r\n', 'proxy'],
  ['half a head, then the end', 'HTTP/1.1 200 OK\r\n', 'proxy'],
  ['words of its own in the tunnel', 'HTTP/1.1 200 OK\r\n\r\nhello', 'proxy'],
]

for (const [name, answer, problem] of answers) {
  test(`a proxy that answers CONNECT with ${name} is the problem "${problem}"`, async (t) => {
    const proxy = await startRawOrigin(t, (socket) => socket.end(answer))
    const client = openClient(t, loopback)

    const failed = client.send('https://127.0.0.1/', { proxy: routeTo(proxy.port), ...hurried })

    assert.equal((await problemOf(failed)).problem, problem)
  })
}

test("missing TLS or an invalid certificate behind a tunnel is the target's failure", async (t) => {
  const site = await startTestSite(t)
  const secure = createTlsServer({ key: pem, cert: pem }).listen(0, '127.0.0.1')
  await once(secure, 'listening')
  t.after(() => secure.close())
  const { port } = secure.address() as { port: number }
  const proxy = await startCountingProxy(t)
  const client = openClient(t, loopback)
  const send = (target: number) =>
    problemOf(client.send(`https://127.0.0.1:${target}/`, { proxy: proxy.route }))

  assert.equal((await send(site.port)).problem, 'tls')
  assert.equal((await send(port)).problem, 'tls')
})

/** Replies of a SOCKS5 server to a greeting and to what follows. */
const replies: [name: string, problem: 'proxy' | 'proxy_unusable', ...number[][]][] = [
  ['no method', 'proxy_unusable', [5, 0xff]],
  ['a method nobody offered', 'proxy_unusable', [5, 1]],
  ['another version', 'proxy_unusable', [4, 0]],
  ['half a word', 'proxy_unusable', [5]],
  ['wrong credentials', 'proxy_unusable', [5, 2], [1, 1]],
  ...[1, 2, 3, 4, 5, 6, 7, 8, 91].map((reply): (typeof replies)[number] => [
    `reply ${reply}`,
    'proxy',
    [5, 0],
    [5, reply, 0, 1, 0, 0, 0, 0, 0, 0],
  ]),
  ['another version later on', 'proxy_unusable', [5, 0], [4, 0, 0, 1, 0, 0, 0, 0, 0, 0]],
  ['an address of no kind', 'proxy_unusable', [5, 0], [5, 0, 0, 9, 0, 0, 0, 0, 0, 0]],
]

for (const [name, problem, ...said] of replies) {
  test(`a SOCKS5 server that answers with ${name} is the problem "${problem}"`, async (t) => {
    const port = await startScripted(t, said)
    const client = openClient(t, loopback)

    const failed = client.send('http://127.0.0.1/', { proxy: routeTo(port, 'socks5'), ...hurried })

    assertProxyFailed(await problemOf(failed), problem)
  })
}

/** Answers each message with the next of these, and says goodbye after the last. */
async function startScripted(t: TestContext, said: number[][]): Promise<number> {
  const server = createServer((socket: Socket) => {
    const left = [...said]
    socket.on('error', () => undefined)
    socket.on('data', () => {
      socket.write(Buffer.from(left.shift() ?? []))
      if (left.length === 0) socket.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as { port: number }).port
}

test('a target that the egress guard blocks is requested from no proxy', async (t) => {
  const publicOnes = Array.from({ length: 16 }, (_, index) => `93.184.215.${index}`)
  const dns = await startTestDns(t, {
    'private.example.com': { addresses: ['10.0.0.1'] },
    'metadata.example.com': { addresses: ['169.254.169.254'] },
    'half.example.com': { addresses: ['93.184.215.14', '127.0.0.9'] },
    'last.example.com': { addresses: [...publicOnes, '10.0.0.1'] },
    'late.example.com': ({ type }) =>
      type === 'A'
        ? delay(300, { addresses: ['10.0.0.1'], ttl: 0 })
        : { addresses: ['2606:4700::1'], ttl: 0 },
  })
  const proxy = await startCountingProxy(t)
  const socks = await startCountingProxy(t, { protocol: 'socks5' })
  const client = openClient(t, allowing('127.0.0.1'), { dns })
  const hosts = [
    '10.0.0.1',
    '127.0.0.2',
    '[::1]',
    '169.254.169.254',
    'intranet',
    'printer.local',
    'private.example.com',
    'metadata.example.com',
    'half.example.com',
    'last.example.com',
    'late.example.com',
  ]

  for (const { route } of [proxy, socks]) {
    for (const host of hosts) {
      for (const scheme of ['http', 'https']) {
        const refused = client.send(`${scheme}://${host}/`, { proxy: route })
        assert.equal((await problemOf(refused)).problem, 'not_allowed', host)
      }
    }
  }

  assert.deepEqual([...proxy.asked, ...socks.asked], [])
})

test('no spelling of a forbidden address is requested from a proxy', async (t) => {
  const proxy = await startCountingProxy(t)
  const socks = await startCountingProxy(t, { protocol: 'socks5' })
  const client = openClient(t, closed)
  const urls = forbiddenUrls()
    .map(({ url }) => url(8080))
    .filter((url) => URL.canParse(url))

  for (const url of urls) {
    for (const asked of [url, url.replace(/http:/i, 'https:')]) {
      for (const route of [proxy.route, socks.route, undefined]) {
        const { problem } = await problemOf(client.send(asked, { proxy: route }))
        assert.equal(problem, 'not_allowed', asked)
      }
    }
  }

  assert.ok(urls.length > 600)
  assert.equal(proxy.connections + socks.connections, 0)
})

for (const reply of ['NXDOMAIN', 'SERVFAIL', 'silence'] satisfies DnsReply[]) {
  test(`the proxy resolves a name for which our DNS gives ${reply}`, async (t) => {
    const dns = await startTestDns(t, { 'there.example.com': reply, 'mute.example.com': 'silence' })
    const site = await startTestSite(t)
    const place = `127.0.0.1:${site.port}`
    const places = { 'there.example.com:80': place, 'mute.example.com:80': place }
    const proxy = await startCountingProxy(t, { protocol: 'socks5', places })
    const client = openClient(t, loopback, { dns })
    const send = (host = 'there') =>
      client.send(`http://${host}.example.com/page/a`, { proxy: proxy.route, isMeasured: true })
    const givenUp = createResolver({ servers: [dns.address] }).lookUp('mute.example.com').completed

    const first = await Promise.race([send(), givenUp.then(() => 'DNS has given up')])
    const second = await Promise.race([send(), send('mute').then(() => 'one for the first time')])

    assert.ok(typeof first !== 'string' && first.statusCode === 200, String(first))
    assert.ok(typeof second !== 'string' && second.statusCode === 200, String(second))
  })
}
