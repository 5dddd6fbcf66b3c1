import {
  Agent,
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as startRequest,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { dialTarget, type ProxyControl, splice } from './proxy-control.ts'

/** Serves clients of an HTTP forward proxy: requests in absolute form, and CONNECT tunnels. */
export function serveHttpProxy(control: ProxyControl): (socket: Socket) => void {
  const agent = new Agent({ keepAlive: true, timeout: 5_000 })
  const server = createServer((request, response) => passOn(request, response, control, agent))
  server.on('connect', (request, client, head) => void carry(request, client, head, control))
  return (socket) => void server.emit('connection', socket)
}

const credentialsOf = ({ headers }: IncomingMessage): string | undefined => {
  const [, encoded] = /^Basic (.+)$/.exec(headers['proxy-authorization'] ?? '') ?? []
  return encoded && Buffer.from(encoded, 'base64').toString()
}

function refusalOf(control: ProxyControl, user: string | undefined): 403 | 407 | undefined {
  if (control.behaviour() === 'unauthorized') return 407
  if (control.expectedUser !== undefined && control.expectedUser !== user) return 407
  return control.behaviour() === 'refuse' ? 403 : undefined
}

function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  control: ProxyControl,
  agent: Agent,
): void {
  const user = credentialsOf(request)
  control.record({ kind: 'request', target: request.url ?? '', user })
  const refusal = refusalOf(control, user)
  const url = URL.parse(request.url ?? '')
  if (refusal || !url) {
    response.writeHead(refusal ?? 400, { 'proxy-authenticate': 'Basic' }).end('no')
    return
  }
  const headers = request.rawHeaders.filter(
    (_, at, all) => !all[at - (at % 2)]?.toLowerCase().startsWith('proxy-'),
  )
  const upstream = startRequest({
    agent,
    ...control.addressOf(url.hostname, Number(url.port) || 80),
    method: request.method,
    path: url.pathname + url.search,
    headers,
    setDefaultHeaders: false,
  })
  upstream.on('response', (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.rawHeaders)
    reply.pipe(response)
    reply.on('error', () => response.destroy())
  })
  upstream.on('error', () => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502).end()
  })
  request.pipe(upstream)
}

async function carry(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  control: ProxyControl,
): Promise<void> {
  const user = credentialsOf(request)
  const { url = '' } = request
  control.record({ kind: 'tunnel', target: url, user })
  client.on('error', () => undefined)
  const refusal = refusalOf(control, user)
  if (refusal) {
    client.end(`HTTP/1.1 ${refusal} No\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n`)
    return
  }
  if (control.isHeld(url)) return
  const { hostname, port } = new URL(`http://${url}`)
  const target = await dialTarget(control.addressOf(hostname, Number(port) || 80))
  client.write(`HTTP/1.1 ${target ? '200 OK' : '502 Bad Gateway'}\r\n\r\n`)
  if (!target) return void client.end()
  target.write(head)
  splice(client, target)
}
