/** Fail closed: a page without its egress proxy reaches nothing. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Failure } from '../../src/domain/failure.ts'
import {
  type BrowserProcess,
  startBrowserProcess,
} from '../../src/engines/browser/launch/browser-process.ts'
import { type LaunchMode, launchModes } from '../../src/engines/browser/launch/launch-modes.ts'
import { assertFails } from '../support/assert-fails.ts'
import { guardedConnect, installedBrowser, startBrowserScene } from '../support/browser-scene.ts'
import { browserWithArgument } from '../support/browser-with-argument.ts'
import { startCanaries } from '../support/canaries.ts'
import { until } from '../support/until.ts'

const scripted = {
  js_render: true,
  mode: 'domLoaded',
  optimizations: { loadOnlySameOriginRequests: false },
}

/** A target that anyone on this machine can reach, and that knows by which ports they came. */
async function startTarget(t: TestContext, answer: (path: string) => string | undefined) {
  const comers: number[] = []
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const html = answer(request.url ?? '')
    if (html !== undefined) response.writeHead(200, { 'content-type': 'text/html' }).end(html)
  })
  server.on('connection', ({ remotePort = 0 }) => comers.push(remotePort))
  await once(server.listen(0, '127.0.0.2'), 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { server, comers, asked, port, url: (path: string) => `http://127.0.0.2:${port}${path}` }
}

/** The servers of this process that are asked for something: beside a test's own, the ways out. */
function watchServers(t: TestContext): Set<Server> {
  const servers = new Set<Server>()
  const onRequest = (message: unknown) => void servers.add((message as { server: Server }).server)
  subscribe('http.server.request.start', onRequest)
  t.after(() => unsubscribe('http.server.request.start', onRequest))
  return servers
}

test('a page whose egress proxy dies', async (t) => {
  const servers = watchServers(t)
  const dialled = new Set<number | undefined>()
  const guarded = guardedConnect(['127.0.0.2/32'])
  const { visit } = await startBrowserScene(t, {
    connect: async (request) => {
      const connection = await guarded(request)
      dialled.add(connection.socket.localPort)
      return connection
    },
  })
  const start = async (t: TestContext, answer: (path: string) => string | undefined) => {
    servers.clear()
    const target = await startTarget(t, answer)
    const killWayOut = () => {
      const [wayOut, ...others] = [...servers].filter((server) => server !== target.server)
      assert.ok(wayOut && others.length === 0)
      wayOut.close()
      wayOut.closeAllConnections()
    }
    const assertNobodyCameBeside = async () => {
      // One of our own comes last: when it is seen, all others have been.
      const last = connect(target.port, '127.0.0.2')
      await once(last, 'connect')
      const { localPort } = last
      last.destroy()
      await until(() => target.comers.includes(localPort ?? -1))
      const beside = target.comers.filter((port) => port !== localPort && !dialled.has(port))
      assert.deepEqual(beside, [])
      assert.ok(target.comers.length > 1)
    }
    return { target, killWayOut, assertNobodyCameBeside }
  }

  await t.test('a page whose egress proxy dies no longer reaches its own site', async (t) => {
    const { target, killWayOut, assertNobodyCameBeside } = await start(t, (path) =>
      path === '/' ? trying : 'x',
    )
    const visiting = visit(target.url('/'), { ...scripted, waitForSelector: '#given-up' })
    await until(() => target.asked.includes('/before'))

    killWayOut()
    await visiting

    await assertNobodyCameBeside()
  })

  await t.test('a navigation without the proxy fails with TARGET_UNREACHABLE', async (t) => {
    const { target, killWayOut, assertNobodyCameBeside } = await start(t, (path) =>
      path === '/' ? leaving : 'x',
    )
    const visiting = visit(target.url('/'), { ...scripted, waitForSelector: '#never' })
    await until(() => target.asked.includes('/before'))

    killWayOut()
    await assertFails('TARGET_UNREACHABLE', visiting)

    assert.ok(!target.asked.includes('/after'))
    await assertNobodyCameBeside()
  })

  await t.test('a page that has not arrived when its egress proxy dies fails', async (t) => {
    const { target, killWayOut, assertNobodyCameBeside } = await start(t, () => undefined)
    const visiting = visit(target.url('/'), scripted)
    await until(() => target.asked.includes('/'))

    killWayOut()

    await assert.rejects(visiting, Failure)
    assert.deepEqual(target.asked, ['/'])
    await assertNobodyCameBeside()
  })
})

/** Asks in every way until nothing is answered any more, and then some. */
const trying = `<!doctype html><body><script>
  let failed = 0
  const again = () => {
    new Image().src = '/image?' + Math.random()
    new WebSocket(location.href.replace('http', 'ws'))
    navigator.sendBeacon('/beacon')
    fetch('/before', { cache: 'no-store' }).catch(() => { failed += 1 }).then(() => {
      if (failed < 10) setTimeout(again, 20)
      else document.body.id = 'given-up'
    })
  }
  again()
</script>`

const leaving = `<!doctype html><body><script>
  const again = () => fetch('/before', { cache: 'no-store' }).then(
    () => setTimeout(again, 20),
    () => { location.href = '/after' },
  )
  again()
</script>`

test('a page of a context without a proxy reaches nothing', async (t) => {
  const canaries = await startCanaries(t, ['own context', 'first context'])
  await using process = await startBareBrowser()
  const root = process.connection.session()
  const { browserContextId } = await root.send('Target.createBrowserContext')

  for (const [index, context] of [{ browserContextId }, {}].entries()) {
    const { targetId } = await root.send('Target.createTarget', { url: 'about:blank', ...context })
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true })
    const session = process.connection.session(sessionId)
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${canaries.all[index]?.authority}/`
      const { errorText } = await session.send('Page.navigate', { url })
      assert.equal(errorText, 'net::ERR_PROXY_CONNECTION_FAILED')
    }
  }

  assert.deepEqual([...canaries.reached], [])
})

/** The browser as it is started, before it is told anything. */
async function startBareBrowser(): Promise<BrowserProcess> {
  const { browser, sandbox, isRoot } = await installedBrowser()
  const installed = browser()
  assert.ok(installed)
  const ways = launchModes({ sandbox, isRoot })
  const start = async ([way, ...others]: LaunchMode[]): Promise<BrowserProcess> => {
    assert.ok(way, 'It did not start.')
    return await startBrowserProcess(installed, way).catch(() => start(others))
  }
  return await start(ways)
}

test('without a DNS server that answers, a page fails with TARGET_DNS_FAILED and says so', async (t) => {
  const { visit } = await startBrowserScene(t, { dnsServers: ['127.0.0.1:1'] })

  for (const scheme of ['http', 'https']) {
    const visiting = visit(`${scheme}://somebody.example.com/`, scripted)
    const { message } = await assertFails('TARGET_DNS_FAILED', visiting)
    assert.match(message, /^No DNS server answered/)
  }
})

test('a browser whose pages do not reach their egress proxy fails its health check', async (t) => {
  const { browser } = await installedBrowser()
  const installed = browser()
  assert.ok(installed)
  const lost = '--host-resolver-rules=MAP * ~NOTFOUND'
  const path = await browserWithArgument(t, installed.path, lost)
  const { engine } = await startBrowserScene(t, {
    parts: { browser: () => ({ ...installed, path }) },
  })

  await assert.rejects(engine.probe(AbortSignal.timeout(20_000)), Failure)
})
