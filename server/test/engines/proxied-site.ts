import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TestContext } from 'node:test'

export const pem = readFileSync(
  new URL('../outbound/test-certificate.pem', import.meta.url),
  'utf8',
)

/** A site with and without TLS, under whatever names lead to it. */
export interface ProxiedSite {
  readonly plainPort: number
  readonly securePort: number
  /** URLs, in the order they were asked for. */
  readonly asked: string[]
  /** The addresses from which somebody has come. */
  readonly comers: Set<string>
}

/** Where a page finds the site: `host:port`, or nowhere for what it shall leave out. */
export interface Whereabouts {
  plain: string
  other?: string
  secure?: string
  /** Of the picture on `/beside`. */
  silent?: string
  /** Where its WebSockets are. */
  sockets: string[]
}

/** Of what the page waits for to the last byte, which it does for no picture. */
const loadedBytes = 150_000

/**
 * `/start` leads to `/all`, which asks for everything in every way and is `#done` when it has come. `/held`
 * waits for `/never`, `/last` for the rest of `/half`. `/beside` has a picture from elsewhere.
 */
export async function startProxiedSite(
  t: Pick<TestContext, 'after'>,
  {
    securePort: wantedPort = 0,
    whereabouts,
  }: { securePort?: number; whereabouts: () => Whereabouts },
): Promise<ProxiedSite> {
  const asked: string[] = []
  const comers = new Set<string>()
  const tell = (scheme: string, { headers, url }: IncomingMessage) =>
    void asked.push(`${scheme}://${headers.host}${url}`)
  const answer = (scheme: string) => (request: IncomingMessage, response: ServerResponse) => {
    tell(scheme, request)
    respond(request, response, whereabouts())
  }
  const servers = [
    createServer(answer('http')),
    createSecureServer({ key: pem, cert: pem }, answer('https')),
  ]
  for (const server of servers) {
    server.on('connection', ({ remoteAddress = '' }) => comers.add(remoteAddress))
    server.on('upgrade', (request, socket) => {
      tell(server === servers[0] ? 'ws' : 'wss', request)
      greet(request, socket)
    })
    const port = server === servers[0] ? 0 : wantedPort
    await once(server.listen(port, '127.0.0.1'), 'listening')
    t.after(() => {
      server.close()
      server.closeAllConnections()
    })
  }
  const [plainPort = 0, securePort = 0] = servers.map(
    (server) => (server.address() as AddressInfo).port,
  )
  return { plainPort, securePort, asked, comers }
}

function respond(request: IncomingMessage, response: ServerResponse, where: Whereabouts): void {
  const { pathname } = new URL(request.url ?? '/', 'http://site.test')
  response.setHeader('access-control-allow-origin', '*')
  if (pathname === '/start') {
    response.writeHead(302, { location: '/all' }).end()
  } else if (pathname === '/all') {
    response.setHeader('content-type', 'text/html').end(pageOf(where))
  } else if (pathname === '/held' || pathname === '/last') {
    const awaited =
      pathname === '/held'
        ? '<script src="/never"></script>'
        : '<link rel="stylesheet" href="/half">'
    response.setHeader('content-type', 'text/html').end(`<!doctype html>${awaited}`)
  } else if (pathname === '/beside') {
    response.setHeader('content-type', 'text/html').end(pageBeside(where))
  } else if (pathname === '/half') {
    response.setHeader('content-type', 'text/css').write(`/* ${'x'.repeat(10_000)}`)
  } else if (pathname !== '/never') {
    const [, extension = ''] = pathname.split('.')
    response.setHeader('content-type', types[extension] ?? 'text/html')
    response.end(`/* ${pathname} */`.padEnd(pathname === '/loaded.json' ? loadedBytes : 0))
  }
}

const types: Record<string, string> = {
  png: 'image/png',
  css: 'text/css',
  js: 'text/javascript',
  json: 'application/json',
}

function pageOf({ plain, other, secure, sockets }: Whereabouts): string {
  const frames = [other && `http://${other}/frame`, secure && `https://${secure}/frame`]
  const fetched = [
    `http://${plain}/fetched.json`,
    other && `http://${other}/fetched.json`,
    secure && `https://${secure}/fetched.json`,
  ]
  return `<!doctype html><link rel="stylesheet" href="/style.css"><body>
    <img src="/picture.png"><script src="/script.js"></script>
    ${frames.map((url) => url && `<iframe src="${url}"></iframe>`).join('')}
    <script type="module">
      const load = (url) => new Promise((resolve) => {
        const request = new XMLHttpRequest()
        request.onloadend = resolve
        request.open('GET', url)
        request.send()
      })
      const greeting = (url) => new Promise((resolve) => {
        const socket = new WebSocket(url)
        socket.onmessage = ({ data }) => resolve(data)
        socket.onerror = () => resolve('failed')
      })
      const greetings = ${JSON.stringify(sockets)}.map(greeting)
      await Promise.all(${JSON.stringify(fetched.filter(Boolean))}.map((url) => fetch(url)))
      await load('/loaded.json')
      document.title = (await Promise.all(greetings)).join()
      document.body.id = 'done'
    </script>`
}

const pageBeside = ({ silent }: Whereabouts): string =>
  `<!doctype html><img src="https://${silent}/picture.png"><link rel="stylesheet" href="/style.css">
    <script src="/script.js"></script><p>The rest of it.`

/** Accepts a WebSocket and says hello. */
function greet({ headers }: IncomingMessage, socket: Duplex): void {
  const accepted = createHash('sha1')
    .update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64')
  socket.on('error', () => undefined)
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`,
  )
  socket.write(Buffer.from([0x81, 5, ...Buffer.from('hello')]))
  socket.resume()
}
