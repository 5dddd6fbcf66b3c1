/** Whom a browser connects to, of its own accord and for its pages, in each flavor. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { assertFails } from '../support/assert-fails.ts'
import {
  browserFlavors,
  guardedConnect,
  installedBrowser,
  startBrowserScene,
} from '../support/browser-scene.ts'
import { keepNetLog } from '../support/net-log.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback, scrapeNow } from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'

const scripted = {
  js_render: true,
  block_resources: false,
  optimizations: { loadOnlySameOriginRequests: false },
}

for (const flavor of browserFlavors) {
  test(`${flavor}: a browser connects to its egress proxies only, and asks them for pages only`, async (t) => {
    const { browser } = await installedBrowser(flavor)
    const installed = browser()
    assert.ok(installed)
    const netLog = await keepNetLog(t, installed.path)
    const connect = guardedConnect(['127.0.0.1/32'])
    const asked = new Set<string>()
    const proxyPorts = new Set<number>()
    const { engine, site, visit } = await startBrowserScene(t, {
      flavor,
      connect: (request) => {
        asked.add(`${request.hostname}:${request.port}`)
        return connect(request)
      },
      parts: {
        browser: () => ({ ...installed, path: netLog.program }),
        onListening: (port) => {
          proxyPorts.add(port)
          return { [Symbol.dispose]: () => undefined }
        },
      },
    })
    const untrusted = await startUntrustedSite(t)
    site.page('/form', '<form><input name=user><input type=password name=secret></form>')
    site.page('/leaves', `<script>onload = () => { location.href = '${untrusted}' }</script>`)
    const actions = [
      { action: 'type', selector: '[name=user]', value: 'me' },
      { action: 'type', selector: '[name=secret]', value: 'fish' },
      { action: 'evaluate', value: 'document.forms[0].requestSubmit()' },
    ]

    await visit('/form', { ...scripted, js_scenario: { actions } })
    // After this a browser might ask the internet whether it is behind a login page.
    await assertFails('TARGET_TLS_FAILED', visit('/leaves', scripted))
    await assertFails('TARGET_DNS_FAILED', visit('http://no-such-name.example/', scripted))
    await engine[Symbol.asyncDispose]()

    const { connected, datagramsSent } = await netLog.read()
    const { host } = new URL(untrusted)
    const wanted = [`127.0.0.1:${site.port}`, host, 'no-such-name.example:80']
    assert.deepEqual([...asked].sort(), wanted.sort())
    // What it asks for of its own accord, it asks port 1 for, where nobody listens.
    const proxies = new Set([1, ...proxyPorts].map((port) => `127.0.0.1:${port}`))
    assert.ok(connected.length > 0)
    assert.deepEqual(
      connected.filter((address) => !proxies.has(address)),
      [],
    )
    assert.equal(datagramsSent, 0)
  })

  test(`${flavor}: a service says which browser opens its pages, and it does`, async (t) => {
    const { browser } = await installedBrowser(flavor)
    const service = await startTestService(t, {
      environment: { ...reachingLoopback, TRAWL_BROWSER_PATH: browser()?.path ?? '' },
    })
    const account = await service.createAccount()
    const site = await startPageSite(t)
    site.page('/page', '<p></p><script>document.querySelector("p").textContent = 6 * 7</script>')

    const scraped = await scrapeNow(account, { url: site.url('/page'), configurations: scripted })
    const capabilities = await fetch(`${service.url}/capabilities`)

    assert.match(scraped.text, /<p>42<\/p>/)
    const { engines } = (await capabilities.json()) as { engines: { browser: object } }
    assert.partialDeepStrictEqual(engines.browser, { state: 'ready', flavor, opens_pages: true })
  })
}

async function startUntrustedSite(t: TestContext): Promise<string> {
  const file = new URL('../outbound/stranger-certificate.pem', import.meta.url)
  const pem = readFileSync(file, 'utf8')
  const server = createServer({ key: pem, cert: pem })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
