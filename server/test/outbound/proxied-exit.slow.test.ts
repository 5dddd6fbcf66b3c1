/** A browser's way out where a proxy stands behind it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { ProxyRoute } from '../../src/domain/proxy/proxy.ts'
import { startCountingProxy } from '../support/counting-proxy.ts'
import { ambiguousNames } from '../support/forbidden-addresses.ts'
import type { ProxyBehaviour } from '../support/proxy-control.ts'
import { startProxyOnlyTargets } from '../support/proxy-only-targets.ts'
import { startTestDns } from '../support/test-dns.ts'
import { startTestSite } from '../support/test-site.ts'
import { until } from '../support/until.ts'
import { ask, connectTo, openTestExit, openTunnel, say } from './open-exit.ts'
import { closed } from './outbound-client.ts'
import { startRawOrigin } from './raw-origin.ts'

const pem = readFileSync(new URL('./test-certificate.pem', import.meta.url), 'utf8')
const user = { name: 'trawl', password: 'secret' }
const never = new AbortController().signal
/** Which of the two it is, `proxied-failures.slow.test.ts` has. */
const ofProxy = /^proxy(_unusable)?$/
const protocols = ['http', 'https', 'socks5'] as const

/** A server that says back what it hears. */
async function startEcho(t: TestContext): Promise<number> {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined)
    socket.pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as { port: number }).port
}

async function startScene(
  t: TestContext,
  protocol: ProxyRoute['protocol'],
  limits: { connectMs?: number } = {},
) {
  const site = await startTestSite(t)
  const { canaries, dns, places, authorityOf } = await startProxyOnlyTargets(t, {
    'plain.example.com': site.port,
    'echo.example.com': await startEcho(t),
  })
  const proxy = await startCountingProxy(t, { protocol, user, places })
  const exit = await openTestExit(t, {
    dns,
    proxy: proxy.route,
    trustedAuthorities: [pem],
    limits,
  })
  const [plain, tunnel] = [authorityOf('plain.example.com'), authorityOf('echo.example.com')]
  return { canaries, site, proxy, exit, plain, tunnel }
}

for (const protocol of protocols) {
  test(`requests and tunnels go through the ${protocol} proxy, with the same byte counts`, async (t) => {
    const { canaries, site, proxy, exit, plain, tunnel } = await startScene(t, protocol)

    const answer = await ask(exit, `http://${plain}/big/300000`, {
      headers: { 'proxy-connection': 'keep-alive' },
    })
    await ask(exit, `http://${plain}/echo`)
    const opened = await openTunnel(t, exit, tunnel)
    opened.socket.write('hello')
    await opened.untilRead('hello')

    assert.equal(answer.body.length, 300_000)
    assert.equal(opened.status, 200)
    const isRelayed = protocol !== 'socks5'
    assert.deepEqual(
      proxy.asked.map(({ kind, target }) => `${kind} ${target}`),
      isRelayed
        ? [`request http://${plain}/big/300000`, `request http://${plain}/echo`, `tunnel ${tunnel}`]
        : [`tunnel ${plain}`, `tunnel ${tunnel}`],
    )
    for (const asked of proxy.asked) assert.equal(asked.user, 'trawl:secret')
    assert.equal(proxy.connections, 2)
    const names = site.requests.flatMap(({ headerNames }) => headerNames)
    assert.deepEqual(
      names.filter((name) => /^proxy-/i.test(name)),
      [],
    )
    await until(() => exit.bytes.sent === proxy.bytes.sent)
    assert.deepEqual(exit.bytes, proxy.bytes)
    assert.deepEqual([...canaries.reached], [])
    assert.equal(await exit.proxyWatch?.isDown(never), false)
  })

  test(`a failing ${protocol} proxy is reported without showing its address or credentials`, async (t) => {
    const { canaries, proxy, exit, plain, tunnel } = await startScene(t, protocol)
    const faults: ProxyBehaviour[] = ['unauthorized', 'close', 'reset', 'babble']
    const problemAt = (authority: string) => {
      const { hostname, port } = new URL(`http://${authority}`)
      return exit.problemOf(hostname, Number(port))
    }

    for (const fault of faults) {
      proxy.behave(fault)
      await assert.rejects(ask(exit, `http://${plain}/`), { code: 'ECONNRESET' }, fault)
      assert.match(problemAt(plain) ?? '', ofProxy, fault)

      const { status } = await openTunnel(t, exit, tunnel)
      assert.equal(status, 502)
      assert.match(problemAt(tunnel) ?? '', ofProxy, fault)
    }
    assert.deepEqual([...canaries.reached], [])
  })

  test(`a killed ${protocol} proxy is lost, and no connection bypasses it`, async (t) => {
    const { canaries, proxy, exit, plain, tunnel } = await startScene(t, protocol)
    const opened = await openTunnel(t, exit, tunnel)
    await ask(exit, `http://${plain}/`)

    proxy.kill()
    await opened.closed

    assert.equal(await exit.proxyWatch?.isDown(never), true)
    await assert.rejects(ask(exit, `http://${plain}/`), { code: 'ECONNRESET' })
    assert.equal((await openTunnel(t, exit, tunnel)).status, 502)
    assert.equal(exit.proxyWatch?.wasUnusable, true)
    assert.deepEqual([...canaries.reached], [])
  })

  test(`a ${protocol} proxy that waits for a silent target is not lost`, async (t) => {
    const { proxy, exit, plain, tunnel } = await startScene(t, protocol, { connectMs: 500 })
    await ask(exit, `http://${plain}/`)
    proxy.hold(tunnel)

    assert.equal((await openTunnel(t, exit, tunnel)).status, 502)

    assert.equal(exit.proxyWatch?.wasUnusable, false)
    assert.equal(await exit.proxyWatch?.isDown(never), false)
  })

  test(`a ${protocol} proxy that dies while a target is silent is gone`, async (t) => {
    const { proxy, exit, tunnel } = await startScene(t, protocol)
    proxy.hold(tunnel)
    const opening = openTunnel(t, exit, tunnel)
    await proxy.waitForRequest(tunnel)

    proxy.kill()

    assert.equal((await opening).status, 502)
    assert.equal(await exit.proxyWatch?.isDown(never), true)
  })
}

test('a proxy whose TLS handshake fails is gone', async (t) => {
  const proxy = await startCountingProxy(t)
  const exit = await openTestExit(t, { proxy: { ...proxy.route, protocol: 'https' } })

  assert.equal((await openTunnel(t, exit, '127.0.0.1:1234')).status, 502)

  assert.equal(await exit.proxyWatch?.isDown(never), true)
})

/** A page that had a proxy, which has hung up and says nothing since. */
async function startSilenced(t: TestContext) {
  const scene = await startScene(t, 'https')
  const opened = await openTunnel(t, scene.exit, scene.tunnel)
  scene.proxy.behave('hang')
  scene.proxy.hangUp()
  await opened.closed
  return scene
}

test('a proxy that stops responding is gone after a while', async (t) => {
  const { exit } = await startSilenced(t)

  assert.equal(await exit.proxyWatch?.isDown(never), true)
})

test('an aborted check whether a proxy is gone has no result and leaves no socket open', async (t) => {
  const { proxy, exit } = await startSilenced(t)
  const other = await startSilenced(t)
  await until(() => proxy.openConnections === 0)
  const asking = new AbortController()
  let isOtherGone = false
  const otherAnswer = other.exit.proxyWatch?.isDown(never).then(() => (isOtherGone = true))
  const answer = exit.proxyWatch?.isDown(asking.signal)
  await until(() => proxy.openConnections === 1)

  asking.abort()

  assert.equal(await answer, false)
  await until(() => proxy.openConnections === 0)
  assert.equal(isOtherGone, false, 'it is closed before it would have been given up')
  await otherAnswer
})

test('a proxy that refuses one target is not lost', async (t) => {
  const { proxy, exit, plain, tunnel } = await startScene(t, 'http')
  proxy.behave('refuse')

  assert.equal((await openTunnel(t, exit, tunnel)).status, 502)
  // Which may be the target's own word.
  assert.equal((await ask(exit, `http://${plain}/`)).status, 403)

  assert.equal(await exit.proxyWatch?.isDown(never), false)
})

test('a proxy that refuses one of several connections is lost, but not gone', async (t) => {
  const proxy = await startRawOrigin(t, () => undefined, refuseTheSecond())
  const { port } = proxy
  const route = {
    label: 'raw',
    protocol: 'socks5',
    host: '127.0.0.1',
    port,
    user: undefined,
  } as const
  const exit = await openTestExit(t, { proxy: route })
  const first = await openTunnel(t, exit, '127.0.0.1:1234')
  const second = await openTunnel(t, exit, '127.0.0.1:1234')

  assert.deepEqual([first.status, second.status], [200, 502])
  assert.equal(exit.proxyWatch?.wasUnusable, true)
  assert.equal(await exit.proxyWatch?.isDown(never), false)
})

/** A SOCKS5 server that lets everybody through but the second who comes. */
function refuseTheSecond(): (socket: Socket) => void {
  const answers = [Buffer.from([5, 0]), Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])]
  let comers = 0
  return (socket) => {
    comers += 1
    if (comers === 2) return void socket.end()
    const left = [...answers]
    socket.on('data', () => socket.write(left.shift() ?? ''))
  }
}

test('the first bytes of a target are kept when they arrive with the proxy’s reply', async (t) => {
  const proxy = await startRawOrigin(t, (socket) => {
    socket.write('HTTP/1.0 200 Connection established\r\nx: y\r\n\r\nwelcome, ')
    socket.once('data', () => undefined)
    setImmediate(() => socket.write('stranger'))
  })
  const route: ProxyRoute = {
    label: 'raw',
    protocol: 'http',
    host: '127.0.0.1',
    port: proxy.port,
    user: undefined,
  }
  const exit = await openTestExit(t, { proxy: route })

  const opened = await openTunnel(t, exit, '127.0.0.1:1234')
  await opened.untilRead('welcome, stranger')

  assert.equal(opened.text, 'welcome, stranger')
})

test('an egress proxy closed while the upstream proxy connects leaves no socket open', async (t) => {
  const proxy = await startRawOrigin(t, () => undefined)
  const exit = await openTestExit(t, {
    proxy: { label: 'raw', protocol: 'http', host: '127.0.0.1', port: proxy.port, user: undefined },
  })
  const client = await connectTo(t, exit)
  client.socket.write('CONNECT 127.0.0.1:1234 HTTP/1.1\r\n\r\n')
  await until(() => proxy.bytes.read > 0)

  await exit[Symbol.asyncDispose]()

  await until(() => proxy.openConnections === 0)
})

test('a target that the egress guard blocks is not requested from the proxy', async (t) => {
  const dns = await startTestDns(t, { 'private.example.com': { addresses: ['10.0.0.1'] } })
  const proxy = await startCountingProxy(t)
  const exit = await openTestExit(t, { dns, proxy: proxy.route })

  for (const host of ['10.0.0.1', '[::1]', 'printer.local', 'private.example.com']) {
    assert.equal((await openTunnel(t, exit, `${host}:443`)).status, 403)
    assert.equal(exit.problemOf(host, 443), 'not_allowed')
    await assert.rejects(ask(exit, `http://${host}/`), { code: 'ECONNRESET' })
    assert.equal(exit.problemOf(host, 80), 'not_allowed')
  }

  assert.deepEqual(proxy.asked, [])
})

for (const protocol of ['http', 'socks5'] as const) {
  test(`no spelling of a forbidden address is requested from the ${protocol} proxy`, async (t) => {
    const proxy = await startCountingProxy(t, { protocol })
    const limits = { hostsMax: 5_000 }
    const exit = await openTestExit(t, { rules: closed, proxy: proxy.route, limits })
    const hosts = [
      ...ambiguousNames,
      '127.0.0.1',
      '127.0.0.1.',
      '0x7f.1',
      '0X7F.0x1',
      '0177.0.0.1',
      '127.1',
      '2130706433',
      'foo.1',
      'foo.0x1.',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::FFFF:7f00:1]',
      '[fe80::1%25eth0]',
      '[fe80::1%eth0]',
      '%31%32%37.0.0.1',
      '127.0.0.1%00.example.com',
      '127.0.0.1\u0000.example.com',
      '127.0.0.1\u0001.example.com',
      '127.0.0.1\t.example.com',
      '127.0.0.1\u007f.example.com',
      '\u00b927.0.0.1',
      'LOCALHOST',
      'local\u00adhost',
      'FOO.Localhost',
      'me@127.0.0.1',
      '127.0.0.1\\@example.com',
    ]

    for (const host of hosts) {
      const head = `HTTP/1.1\r\nHost: ${host}:8080\r\nConnection: close\r\n\r\n`
      const tunnelled = await say(t, exit, Buffer.from(`CONNECT ${host}:8080 ${head}`, 'latin1'))
      assert.match(tunnelled, /^HTTP\/1.1 40[03] /, host)
      const answer = await say(t, exit, Buffer.from(`GET http://${host}:8080/ ${head}`, 'latin1'))
      assert.match(answer, /^(HTTP\/1.1 400 |$)/, host)
    }

    assert.equal(proxy.connections, 0)
  })
}
