/** `render_js: "auto"` on every example page: how often it uses the browser, and what comes back. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { extracted } from '../support/extract-calls.ts'
import { withBrowser } from '../support/real-browser.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { type ExamplePage, scriptedPages } from '../support/scripted-pages.ts'
import { staticPages } from '../support/static-pages.ts'
import { onBothStores } from '../support/test-service.ts'

const rendered = 'Rendered after the scripts of the page have run.'
/** What every script of a site does, whatever its framework would; some are imported after `load`. */
const script = `const render = () => document.body.append(${JSON.stringify(rendered)})
if (document.readyState === 'complete') render()
else addEventListener('load', render)`

/** Serves one example as `/` of a host of its own, its scripts, and where it redirects to. */
async function serve(
  t: TestContext,
  { html, verdict, headers = {} }: ExamplePage,
): Promise<string> {
  const handle = ({ url = '', headers: { cookie = '' } }: IncomingMessage, to: ServerResponse) => {
    if (/\.m?js(\?|$)/.test(url))
      return to.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    // A challenge is over once the browser has come back, and so is a redirect.
    if (url !== '/' || cookie.includes('passed=1')) {
      return to.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${rendered}</p>`)
    }
    const pass = '<script>document.cookie = "passed=1"; location.reload()</script>'
    to.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
    return to.end(html + (verdict === 'script_challenge' ? pass : ''))
  }
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Runs at most three at once, as each may need a page of the browser. */
async function forEach(pages: ExamplePage[], run: (page: ExamplePage) => Promise<void>) {
  const left = [...pages]
  const runner = async () => {
    for (let page = left.shift(); page; page = left.shift()) await run(page)
  }
  await Promise.all([runner(), runner(), runner()])
}

onBothStores((kind, start) => {
  test(`${kind}: \`auto\` uses the browser for the pages that need it, and none is empty`, async (t) => {
    const service = await start(t, {
      environment: { ...reachingLoopback, ...(await withBrowser()) },
    })
    const account = await service.createAccount()
    const auto = async (page: ExamplePage) =>
      extracted(account, { url: await serve(t, page), render_js: 'auto', formats: ['text'] })
    const count = { browser: 0, http: 0 }
    const wrong: string[] = []
    const check = (pages: ExamplePage[], isWhole: (text: string) => boolean) =>
      forEach(pages, async (page) => {
        const { data, metadata } = await auto(page)
        count[metadata.engine ?? 'http'] += 1
        const isRight = metadata.engine_reason === page.verdict && isWhole(data.text ?? '')
        if (!isRight) wrong.push(`${page.name}: ${metadata.engine_reason}, ${data.text}`)
      })

    await check(staticPages, () => true)
    assert.deepEqual([wrong, count], [[], { browser: 0, http: staticPages.length }])

    await check(scriptedPages, (text) => text.includes(rendered) || text.includes('HelloHello'))
    const expected = { browser: scriptedPages.length, http: staticPages.length }
    assert.deepEqual([wrong, count], [[], expected])
    t.diagnostic(
      `${count.http} static pages over HTTP, ${count.browser} scripted ones in the browser`,
    )
  })
})
