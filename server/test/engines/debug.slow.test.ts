/** The option debug: records of a page's requests, timings and console. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startBrowserScene } from '../support/browser-scene.ts'
import { startTestDns } from '../support/test-dns.ts'

const told = { js_render: true, mode: 'longPolling', debug: true }

test('the option debug', async (t) => {
  const { site, visit } = await startBrowserScene(t)

  await t.test('debug reports how long the headers and the body of the page took', async () => {
    site.page('/slow', (_, response) => {
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'text/html' }).write('<p>begun</p>')
        setTimeout(() => response.end('<p>ended</p>'), 600)
      }, 300)
    })

    const { timings } = await visit('/slow', { js_render: true })

    const { firstByteMs, downloadMs, renderMs = 0 } = timings
    assert.ok(firstByteMs > 250, `firstByteMs: ${firstByteMs}`)
    assert.ok(downloadMs > 500, `downloadMs: ${downloadMs}`)
    assert.ok(firstByteMs + downloadMs < renderMs, `renderMs: ${renderMs}`)
  })

  await t.test('debug lists requests that are still pending', async () => {
    site.page('/polling', `<script>fetch('/never')</script>`)
    site.page('/never', () => undefined)

    const { page } = await visit('/polling', told)

    const polled = page.requests.find(({ url }) => url === site.url('/never'))
    assert.equal(polled?.statusCode, null)
    assert.ok(polled.durationMs > 400, `durationMs: ${polled.durationMs}`)
  })

  for (const [about, answered, open] of [
    ['answered', 310, 0],
    ['answered or pending', 290, 20],
  ] as const) {
    await t.test(`debug lists at most 300 requests that are ${about}, and counts all`, async () => {
      site.page('/answer', (_, response) => response.end())
      site.page('/never', () => undefined)
      site.page(
        '/asking',
        `<p id=p></p><script>(async () => {
          for (let i = 0; i < ${answered}; i += 1) await (await fetch('/answer?' + i)).text()
          for (let i = 0; i < ${open}; i += 1) fetch('/never?' + i)
          p.dataset.isDone = ''
        })()</script>`,
      )
      const waitForSelector = '[data-is-done]'

      const { page } = await visit('/asking', { js_render: true, debug: true, waitForSelector })

      const numbered = (path: string, length: number) =>
        Array.from({ length }, (_, index) => site.url(`${path}?${index}`))
      const all = [
        site.url('/asking'),
        ...numbered('/answer', answered),
        ...numbered('/never', open),
      ]
      // Two that end at once may be told of in either order.
      assert.deepEqual(page.requests.map(({ url }) => url).sort(), all.slice(0, 300).sort())
      assert.equal(page.bandwidth.requests, 311)
    })
  }

  await t.test('debug lists at most 200 console messages of 2 000 characters', async () => {
    site.page(
      '/talking',
      `<script>
        for (const length of [2000, 2001]) console.log('x'.repeat(length))
        for (let i = 2; i < 250; i += 1) console.log('line ' + i)
      </script>`,
    )

    const { page } = await visit('/talking', { js_render: true, debug: true })

    const texts = page.console?.map(({ text }) => text) ?? []
    assert.equal(texts.length, 200)
    assert.deepEqual(texts.slice(0, 2), ['x'.repeat(2_000), 'x'.repeat(2_000)])
    assert.deepEqual([texts[2], texts.at(-1)], ['line 2', 'line 199'])
  })

  await t.test('debug lists open and closed WebSockets with the bytes they received', async () => {
    const port = await startSocketSite(t)
    const origin = `ws://127.0.0.1:${port}`
    site.page(
      '/sockets',
      `<p id=p></p><script>
        const open = new WebSocket('${origin}/open')
        const closed = new WebSocket('${origin}/closed')
        closed.onmessage = () => closed.close()
        closed.onclose = () => { p.dataset.closed = 'yes' }
        open.onmessage = () => { p.dataset.open = 'yes' }
      </script>`,
    )
    const optimizations = { loadOnlySameOriginRequests: false }
    const waitForSelector = '[data-open][data-closed]'

    const { page } = await visit('/sockets', { ...told, optimizations, waitForSelector })
    const { page: blocked } = await visit('/sockets', told)

    const socketsOf = ({ requests }: typeof page) =>
      requests
        .filter(({ type }) => type === 'websocket')
        .map(({ url, statusCode, bytes, isBlocked }) => ({ url, statusCode, bytes, isBlocked }))
        .sort((a, b) => a.url.localeCompare(b.url))
    const urls = [`${origin}/closed`, `${origin}/open`]
    assert.deepEqual(
      socketsOf(page),
      urls.map((url) => ({ url, statusCode: 101, bytes: 4, isBlocked: false })),
    )
    assert.equal(page.bandwidth.requests, 3)
    assert.deepEqual(
      socketsOf(blocked),
      urls.map((url) => ({ url, statusCode: null, bytes: 0, isBlocked: true })),
    )
    assert.equal(blocked.bandwidth.requests, 1)
  })
})

test('connection timings are those of the target, not of the egress proxy', async (t) => {
  const certificate = readFileSync(
    new URL('../outbound/test-certificate.pem', import.meta.url),
    'utf8',
  )
  const slowly = async () => {
    await pause(200)
    return { addresses: ['127.0.0.1'] }
  }
  const dns = await startTestDns(t, {
    'plain.example.com': slowly,
    'secure.example.com': slowly,
  })
  const { site, visit } = await startBrowserScene(t, {
    trusted: certificate,
    dnsServers: [dns.address],
  })
  const securePort = await startSecureSite(t, certificate)
  const plainUrl = `http://plain.example.com:${site.port}`

  await t.test('the timings of an http page are those of its target', async () => {
    const { timings } = await visit(`${plainUrl}/`, { js_render: true })

    const { dnsMs, connectMs, tlsMs, firstByteMs } = timings
    assert.ok(dnsMs > 190, `dnsMs: ${dnsMs}`)
    assert.ok(connectMs > 0 && connectMs < dnsMs, `connectMs: ${connectMs}`)
    assert.ok(firstByteMs < dnsMs, `firstByteMs: ${firstByteMs}`)
    assert.equal(tlsMs, 0)
  })

  await t.test('the timings of an https page are those of its target', async () => {
    const url = `https://secure.example.com:${securePort}/`

    const { timings } = await visit(url, { js_render: true })

    const { dnsMs, connectMs, tlsMs } = timings
    assert.ok(dnsMs > 190, `dnsMs: ${dnsMs}`)
    assert.ok(connectMs > 0 && connectMs < dnsMs, `connectMs: ${connectMs}`)
    assert.ok(tlsMs > 0 && tlsMs < dnsMs, `tlsMs: ${tlsMs}`)
  })

  await t.test('the DNS and connect times on a reused connection are 0', async () => {
    site.page('/on', `<script>onload = () => { location.href = '/there' }</script>`)

    const { page, timings } = await visit(`${plainUrl}/on`, { js_render: true })

    assert.equal(page.url, `${plainUrl}/there`)
    assert.deepEqual([timings.dnsMs, timings.connectMs], [0, 0])
  })
})

async function startSecureSite(t: TestContext, pem: string): Promise<number> {
  const server = createSecureServer({ key: pem, cert: pem }, (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>secret</p>'),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

/** Says `done` to everybody who comes. */
async function startSocketSite(t: TestContext): Promise<number> {
  const server = createServer()
  server.on('upgrade', ({ headers }, socket) => {
    const accepted = createHash('sha1')
      .update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')
    socket.on('error', () => undefined)
    // All that anybody says here is goodbye.
    socket.once('data', () => socket.end(Buffer.from([0x88, 0])))
    t.after(() => socket.destroy())
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`,
    )
    socket.write(Buffer.from([0x81, 4, ...Buffer.from('done')]))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}
