/** The proxy of a page serves that page only: other processes find its port and get nothing from it. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage, RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { assertFails } from '../support/assert-fails.ts'
import { type BrowserScene, startBrowserScene } from '../support/browser-scene.ts'
import { attackLocalPorts, floodLocalPorts } from '../support/local-attacker.ts'
import { pem } from './proxied-site.ts'

const scripted = {
  js_render: true,
  block_resources: false,
  response_format: 'json',
  optimizations: { loadOnlySameOriginRequests: false },
}
const defaults = { js_render: true, response_format: 'json' }

interface Scene extends BrowserScene {
  secure: { port: number; requests: IncomingMessage[]; answer: RequestListener; wires: Socket[] }
}

async function startScene(t: TestContext): Promise<Scene> {
  const scene = await startBrowserScene(t, { trusted: pem })
  const secure: Scene['secure'] = {
    port: 0,
    requests: [],
    answer: (_, response) => response.end(),
    wires: [],
  }
  const server = createServer({ key: pem, cert: pem }, (request, response) => {
    secure.requests.push(request)
    secure.answer(request, response)
  })
  server.on('connection', (wire) => secure.wires.push(wire as Socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  secure.port = (server.address() as AddressInfo).port
  return { ...scene, secure }
}

/** The credentials that browsers have shown to this process, as they stand in the header. */
function watchCredentials(t: TestContext): Set<string> {
  const seen = new Set<string>()
  const onRequest = (message: unknown) => {
    const { request } = message as { request: IncomingMessage }
    const [, token] = /^Basic (.+)/.exec(request.headers['proxy-authorization'] ?? '') ?? []
    if (token) seen.add(token)
  }
  subscribe('http.server.request.start', onRequest)
  t.after(() => unsubscribe('http.server.request.start', onRequest))
  return seen
}

const textOf = ({ page }: Awaited<ReturnType<BrowserScene['visit']>>): string =>
  Buffer.from(page.body).toString()

/** Of both sites, in no order. */
const askedOf = ({ site, secure }: Scene): string[] => [
  ...site.asked,
  ...secure.requests.map(({ url = '' }) => url),
]

const aimOf = ({ site, secure }: Scene) => ({
  plain: `127.0.0.1:${site.port}`,
  tunnel: `127.0.0.1:${secure.port}`,
})

/** Writes a page that waits for `release` half-way, on both sites. */
function holdHalfWay(scene: Scene) {
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const bodies: Record<string, string> = {
    '/held': '<p></p><script src="/late"></script><script src="/last"></script>',
    '/late': 'document.querySelector("p").textContent = "late"',
    '/last': 'document.querySelector("p").textContent += " and last"',
  }
  const answer: RequestListener = ({ url = '' }, response) => {
    const type = url === '/held' ? 'text/html' : 'text/javascript'
    const end = () => response.writeHead(200, { 'content-type': type }).end(bodies[url])
    if (url === '/late') held.resolve()
    if (url === '/late') void release.promise.then(end)
    else end()
  }
  scene.secure.answer = answer
  for (const path of Object.keys(bodies)) scene.site.page(path, answer)
  return { held: held.promise, release: () => release.resolve() }
}

test('another process that finds the port of a page', async (t) => {
  const scene = await startScene(t)
  const { site, secure, visit } = scene

  for (const origin of [site.origin, `https://127.0.0.1:${secure.port}`]) {
    const { protocol } = new URL(origin)

    await t.test(`another process gets only 407, and the page loads: ${protocol}`, async (t) => {
      const url = `${origin}/held`
      const before = holdHalfWay(scene)
      before.release()
      const quiet = await visit(url, scripted)
      const { held, release } = holdHalfWay(scene)

      secure.wires.length = 0
      const visiting = visit(url, scripted)
      await held
      const replies = await attackLocalPorts(t, aimOf(scene))
      release()
      const visited = await visiting

      assert.equal(replies.length, 10)
      for (const { request, text } of replies) {
        assert.match(text, /^HTTP\/1\.1 407 .*\r\n\r\n$/s, request)
        assert.equal(text.split('HTTP/1.1').length, 2, request)
      }
      assert.ok(!askedOf(scene).includes('/stolen'))
      assert.match(textOf(visited), /<p>late and last<\/p>/)
      const { received, requests } = visited.page.bandwidth
      assert.equal(requests, quiet.page.bandwidth.requests)
      // The browser may open another connection while a script waits, and so shake hands once more.
      const written = secure.wires.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0)
      if (protocol === 'https:') assert.ok(received <= written, `${received} of ${written}`)
      else assert.equal(received, quiet.page.bandwidth.received)
    })
  }

  await t.test('another process that keeps connecting does not starve the page', async (t) => {
    const names = Array.from({ length: 30 }, (_, at) => `/part-${at}`)
    const { held, release } = holdHalfWay(scene)
    const parts = names.map((name) => `<script src="${name}"></script>`).join('')
    site.page('/parts', `<p></p><script src="/late"></script>${parts}`)
    for (const name of names) {
      site.page(name, (_, response) =>
        response
          .writeHead(200, { 'content-type': 'text/javascript', connection: 'close' })
          .end('document.querySelector("p").append("x")'),
      )
    }

    const visiting = visit('/parts', scripted)
    await held
    const ports = await floodLocalPorts(t, aimOf(scene))
    release()
    const visited = await visiting

    assert.equal(ports.length, 1)
    assert.match(textOf(visited), /<p>latex{30}<\/p>/)
    assert.ok(!askedOf(scene).includes('/stolen'))
  })
})

test('the credentials of a page', async (t) => {
  const credentials = watchCredentials(t)
  const scene = await startScene(t)
  const { site, secure, visit } = scene
  const secureUrl = `https://127.0.0.1:${secure.port}`

  await t.test('the proxy credentials are in no request to a target and in no result', async () => {
    site.page('/echo', (request, response) => {
      response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/html' })
      response.end(request.rawHeaders.join())
    })
    secure.answer = (request, response) => response.end(request.rawHeaders.join())
    const all = [site.url('/echo'), `${secureUrl}/echo`]
    site.page(
      '/echoes',
      `<pre></pre><script type="module">
        for (const url of ${JSON.stringify(all)}) {
          const answer = await fetch(url, { method: 'POST', body: 'x' }).catch(String)
          document.querySelector('pre').append(await answer.text?.() ?? answer)
        }
        const source = "fetch('${site.url('/echo')}').then((a) => a.text()).then(postMessage)"
        new Worker(URL.createObjectURL(new Blob([source]))).onmessage = ({ data }) => {
          document.querySelector('pre').append(data)
          document.body.id = 'done'
        }
      </script>`,
    )
    const wanted = { debug: true, collect_data_from_requests: true, waitForSelector: '#done' }

    const visited = await visit('/echoes', { ...scripted, ...wanted })
    const again = await visit('/echo', { ...defaults, debug: true })

    // Of a tunnel the channel does not tell, so both pages are plain.
    const [first, second, ...others] = [...credentials].map((token) => [
      token,
      atob(token).slice(5),
    ])
    assert.ok(first && second)
    assert.deepEqual(others, [])
    const requests = [...site.askedFor('/echo'), ...secure.requests]
    const texts = [
      ...requests.map(({ rawHeaders }) => rawHeaders.join()),
      JSON.stringify(visited) + textOf(visited),
      JSON.stringify(again) + textOf(again),
    ]
    assert.ok(requests.length >= 4)
    for (const text of texts) {
      for (const secret of [...first, ...second]) assert.ok(!text.includes(secret))
      assert.doesNotMatch(text, /proxy-auth/i)
    }
  })

  await t.test('the proxy credentials survive Clear-Site-Data', async () => {
    site.page('/clear', (_, response) =>
      response
        .writeHead(200, { 'clear-site-data': '"*"', 'content-type': 'text/html' })
        .end('<p></p><script src="/after"></script>'),
    )
    site.page('/after', 'document.querySelector("p").textContent = "cleared"')

    const visited = await visit('/clear', scripted)

    assert.match(textOf(visited), /<p>cleared<\/p>/)
  })
})

test("a target's own challenge", async (t) => {
  const scene = await startScene(t)
  const { site, secure, visit } = scene
  const secureUrl = `https://127.0.0.1:${secure.port}`
  const challenges = {
    'content-type': 'text/html',
    'proxy-authenticate': 'Basic realm="trawl"',
    'www-authenticate': 'Basic realm="trawl"',
  }
  const body = '<p></p><script src="/after"></script>'
  const refuse =
    (status: number): RequestListener =>
    ({ url }, response) => {
      if (url === '/after') response.end('document.querySelector("p").textContent = "after"')
      else response.writeHead(status, challenges).end(body)
    }
  site.page('/after', refuse(0))

  for (const options of [scripted, defaults]) {
    const how = 'block_resources' in options ? 'everything loaded' : 'by default'

    for (const status of [401, 407]) {
      await t.test(`a target's ${status} is a page, with its resources: ${how}`, async () => {
        site.page('/refused', refuse(status))

        const { page } = await visit('/refused', options)

        assert.equal(page.statusCode, status)
        assert.equal(page.headers['proxy-authenticate'], undefined)
        assert.match(Buffer.from(page.body).toString(), /<p>after<\/p>/)
      })

      await t.test(`a target's ${status} over TLS gets no credentials: ${how}`, async () => {
        secure.answer = refuse(status)

        const visiting = visit(`${secureUrl}/refused`, options)

        if (status === 407) await assertFails('BAD_RESPONSE', visiting)
        else assert.equal((await visiting).page.statusCode, status)
        assert.ok(secure.requests.length > 0)
        for (const { headers } of secure.requests) {
          assert.equal(headers.authorization, undefined)
          assert.equal(headers['proxy-authorization'], undefined)
        }
      })
    }
  }

  await t.test("a target's 407 to one request does not break the next request", async () => {
    site.page('/part', refuse(407))
    secure.answer = refuse(407)
    site.page(
      '/parts',
      `<img src="/part"><pre></pre><script type="module">
        const statuses = []
        for (const url of ['/part', '/after', '${secureUrl}/part', '/after']) {
          statuses.push(await fetch(url, { mode: 'no-cors' }).then(({ status }) => status, () => 'failed'))
        }
        document.querySelector('pre').textContent = statuses.join()
        document.body.id = 'done'
      </script>`,
    )

    const visited = await visit('/parts', { ...scripted, waitForSelector: '#done' })

    assert.match(textOf(visited), /<pre>407,200,failed,200<\/pre>/)
  })
})
