import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { TLSSocket } from 'node:tls'
import type { ProxyRoute, ProxyUser } from '../../src/domain/proxy/proxy.ts'
import { serveHttpProxy } from './http-proxy-server.ts'
import type { ProxyBehaviour, ProxyControl, ProxyRequest } from './proxy-control.ts'
import { serveSocks } from './socks-server.ts'

/** A proxy server that records its requests and counts the bytes on its client connections. */
export interface CountingProxy {
  readonly route: ProxyRoute
  readonly asked: readonly ProxyRequest[]
  /** Bytes as its clients count them: `sent` is what they sent. */
  readonly bytes: { sent: number; received: number }
  /** Client connections so far. */
  readonly connections: number
  readonly openConnections: number
  behave(behaviour: ProxyBehaviour): void
  /** Never answers tunnels to that `host:port`, as if the target were silent. */
  hold(target: string): void
  waitForRequest(target: string): Promise<void>
  /** Closes the open connections. */
  hangUp(): void
  /** Closes the listener and all connections, as a SIGKILL would. */
  kill(): void
}

interface CountingProxyOptions {
  protocol?: ProxyRoute['protocol']
  /** The only user it accepts; without one it accepts everybody. */
  user?: ProxyUser
  /** Overrides where a `host:port` is dialled; a target that is not listed is dialled as named. */
  places?: Record<string, string>
  label?: string
}

/** Far more latency than the proxy pool tolerates in comparison with other proxies. */
const laggingMs = 2_500

const certificate = readFileSync(
  new URL('../outbound/test-certificate.pem', import.meta.url),
  'utf8',
)

export async function startCountingProxy(
  t: Pick<TestContext, 'after'>,
  { protocol = 'http', user, places = {}, label = 'counting' }: CountingProxyOptions = {},
): Promise<CountingProxy> {
  const wires = new Set<Socket>()
  const asked: ProxyRequest[] = []
  const held = new Set<string>()
  const news = new EventEmitter()
  let behaviour: ProxyBehaviour = 'serve'
  const control: ProxyControl = {
    behaviour: () => behaviour,
    expectedUser: user && `${user.name}:${user.password}`,
    addressOf(host, port) {
      const place = new URL(`http://${places[`${host}:${port}`] ?? `${host}:${port}`}`)
      return { host: place.hostname.replace(/^\[|\]$/g, ''), port: Number(place.port) || 80 }
    },
    isHeld: (target) => held.has(target),
    record(ask) {
      asked.push(ask)
      news.emit('asked')
    },
  }
  const serve =
    protocol === 'socks5'
      ? (socket: Socket) => serveSocks(socket, control)
      : serveHttpProxy(control)
  const server = createServer((wire) => {
    wires.add(wire)
    wire.on('error', () => undefined)
    if (behaviour === 'hang') return void wire.resume()
    if (behaviour === 'close') return void wire.end()
    if (behaviour === 'reset') return void wire.once('data', () => wire.resetAndDestroy())
    const isSecure = protocol === 'https'
    const client = isSecure ? secured(wire) : wire
    if (behaviour === 'babble') client.write('220 mail.example.com ESMTP ready\r\n\r\n')
    else if (behaviour === 'lag') setTimeout(serve, laggingMs, client)
    else serve(client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const hangUp = () => {
    for (const wire of wires) wire.destroy()
  }
  const kill = () => {
    server.close()
    hangUp()
  }
  t.after(kill)
  const { port } = server.address() as AddressInfo

  return {
    route: { label, protocol, host: '127.0.0.1', port, user },
    asked,
    get bytes() {
      const sum = (count: (wire: Socket) => number) =>
        [...wires].reduce((total, wire) => total + count(wire), 0)
      return {
        sent: sum(({ bytesRead }) => bytesRead),
        received: sum(({ bytesWritten }) => bytesWritten),
      }
    },
    get connections() {
      return wires.size
    },
    get openConnections() {
      return [...wires].filter(({ closed }) => !closed).length
    },
    behave(next) {
      behaviour = next
    },
    hold: (target) => void held.add(target),
    async waitForRequest(target) {
      const signal = AbortSignal.timeout(15_000)
      while (!asked.some((ask) => ask.target === target)) await once(news, 'asked', { signal })
    },
    hangUp,
    kill,
  }
}

function secured(wire: Socket): Socket {
  const socket = new TLSSocket(wire, { isServer: true, key: certificate, cert: certificate })
  socket.on('error', () => undefined)
  return socket
}
