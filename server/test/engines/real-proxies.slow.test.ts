/** Both engines through the proxy servers that people run, as Debian configures them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { assertFails } from '../support/assert-fails.ts'
import { type BrowserScene, startBrowserScene } from '../support/browser-scene.ts'
import {
  proxyAddress,
  proxyUser,
  type RealProxy,
  startMicrosocks,
  startSquid,
  startTinyproxy,
} from '../support/real-proxies.ts'
import { until } from '../support/until.ts'
import { openEngine, textOf } from './open-engine.ts'
import { type ProxiedSite, pem, startProxiedSite, type Whereabouts } from './proxied-site.ts'

const scripted = {
  js_render: true,
  block_resources: false,
  response_format: 'json',
  optimizations: { loadOnlySameOriginRequests: false },
}
const whole = { ...scripted, mode: 'domLoaded', waitForSelector: '#done' }

const servers = { squid: startSquid, tinyproxy: startTinyproxy, microsocks: startMicrosocks }

test('fetches and pages go through real proxy servers', async (t) => {
  const { visit } = await startBrowserScene(t, { trusted: pem, allow: ['127.0.0.1'] })
  for (const [name, start] of Object.entries(servers)) {
    for (const isClosed of [false, true]) {
      const auth = isClosed ? 'with credentials' : 'without credentials'
      await t.test(`fetches and pages go through ${name}, ${auth}`, async (t) => {
        const { site, tunnelPorts } = await startTargets(t, name)
        const proxy = await start(t, { isClosed, tunnelPorts })

        await tryHttpEngine(t, proxy, site)
        await tryChromium(visit, proxy, site)
        if (isClosed) await tryWrongPassword(t, visit, proxy, site)
        await tryNobody(t, visit, proxy)
        await tryKill(visit, proxy, site)
      })
    }
  }
})

/** Squid opens tunnels to port 443 alone: a test that may not listen there has to tell it of another. */
async function startTargets(
  t: TestContext,
  name: string,
): Promise<{ site: ProxiedSite; tunnelPorts: number[] }> {
  let where: Whereabouts = { plain: '', sockets: [] }
  const securePort = (await isFree(443)) ? 443 : 0
  const site = await startProxiedSite(t, { securePort, whereabouts: () => where })
  const plain = `127.0.0.1:${site.plainPort}`
  const secure = `127.0.0.1:${site.securePort}`
  // Without TLS a WebSocket takes a tunnel too, which squid lets nobody have.
  const sockets = name === 'squid' ? [] : [`ws://${plain}/ws`]
  where = { plain, secure, sockets: [...sockets, `wss://${secure}/wss`] }
  return { site, tunnelPorts: securePort === 443 ? [] : [site.securePort] }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const isListening = await once(server.listen(port, '127.0.0.1'), 'listening').then(
    () => true,
    () => false,
  )
  server.close()
  return isListening
}

const urlsOf = ({ plainPort, securePort }: ProxiedSite) => ({
  plain: (path: string) => `http://127.0.0.1:${plainPort}${path}`,
  secure: (path: string) => `https://127.0.0.1:${securePort}${path}`,
})

async function tryHttpEngine(t: TestContext, proxy: RealProxy, site: ProxiedSite): Promise<void> {
  const { fetch } = openEngine(t, { trustedAuthorities: [pem] })
  const { plain, secure } = urlsOf(site)

  const first = await fetch(plain('/start'), { proxy: proxy.route })
  const second = await fetch(secure('/script.js'), { proxy: proxy.route })

  assert.equal(first.page.url, plain('/all'))
  assert.equal(textOf(second), '/* /script.js */')
  await assertAllCameThrough(proxy, site, [plain('/start'), plain('/all'), secure('/script.js')])
}

async function tryChromium(
  visit: BrowserScene['visit'],
  proxy: RealProxy,
  site: ProxiedSite,
): Promise<void> {
  const { plain, secure } = urlsOf(site)
  const before = site.asked.length

  const { page } = await visit(plain('/start'), whole, { proxy: proxy.route })
  const { page: secured } = await visit(secure('/all'), scripted, { proxy: proxy.route })

  assert.equal(page.url, plain('/all'))
  assert.match(Buffer.from(page.body).toString(), /<title>(hello,)?hello<\/title>/)
  assert.equal(secured.statusCode, 200)
  const asked = site.asked.slice(before)
  for (const path of ['/style.css', '/picture.png', '/fetched.json', '/loaded.json']) {
    assert.ok(asked.includes(plain(path)), path)
  }
  await assertAllCameThrough(proxy, site, asked)
}

async function tryWrongPassword(
  t: TestContext,
  visit: BrowserScene['visit'],
  { route }: RealProxy,
  site: ProxiedSite,
): Promise<void> {
  const { fetch } = openEngine(t, { trustedAuthorities: [pem] })
  const { plain, secure } = urlsOf(site)

  for (const user of [{ ...proxyUser, password: 'wrong' }, undefined]) {
    const proxy = { ...route, user }
    for (const url of [plain('/all?unknown'), secure('/all?unknown')]) {
      await assertFails('PROXY_FAILED', fetch(url, { proxy }))
      await assertFails('PROXY_FAILED', visit(url, scripted, { proxy }))
    }
  }

  assert.ok(!site.asked.some((url) => url.includes('unknown')))
}

/** Where nobody listens a proxy says so itself, which is no page of the target. */
async function tryNobody(
  t: TestContext,
  visit: BrowserScene['visit'],
  { route: proxy }: RealProxy,
): Promise<void> {
  const { fetch } = openEngine(t)
  for (const url of ['http://127.0.0.1:1025/', 'https://127.0.0.1:1025/']) {
    await assertFails('PROXY_FAILED', fetch(url, { proxy }))
    await assertFails('PROXY_FAILED', visit(url, scripted, { proxy }))
  }
}

async function tryKill(
  visit: BrowserScene['visit'],
  proxy: RealProxy,
  site: ProxiedSite,
): Promise<void> {
  const { plain } = urlsOf(site)
  const visiting = visit(plain('/held'), { ...scripted, mode: 'load' }, { proxy: proxy.route })
  visiting.catch(() => undefined)
  await until(() => site.asked.includes(plain('/never')))

  await proxy.kill()

  await assertFails('PROXY_FAILED', visiting)
  assert.deepEqual([...site.comers], [proxyAddress])
}

/** By its own log, and by the address from which everybody came. */
async function assertAllCameThrough(
  proxy: RealProxy,
  site: ProxiedSite,
  urls: readonly string[],
): Promise<void> {
  assert.deepEqual([...site.comers], [proxyAddress])
  const isRelayed = (url: string) => url.startsWith('http:') && proxy.route.protocol === 'http'
  const isLogged = async () => {
    const log = await proxy.log()
    return urls.every((url) => log.includes(isRelayed(url) ? url : new URL(url).host))
  }
  // Squid writes its line when a connection ends, and not at once.
  await until(isLogged)
}
