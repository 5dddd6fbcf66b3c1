import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { TLSSocket } from 'node:tls'
import type { ProxyRoute, ProxyUser } from '../../src/domain/proxy/proxy.ts'
import { serveHttpProxy } from './http-proxy-server.ts'
import type { ProxiedAsk, ProxyBehaviour, ProxyDesk } from './proxy-desk.ts'
import { serveSocks } from './socks-server.ts'

/** A proxy that writes down what it is asked for and counts every byte that crosses its wire. */
export interface CountingProxy {
  readonly route: ProxyRoute
  readonly asked: readonly ProxiedAsk[]
  /** To and from its clients, in their words. */
  readonly bytes: { sent: number; received: number }
  /** From clients so far. */
  readonly connections: number
  readonly openConnections: number
  behave(behaviour: ProxyBehaviour): void
  /** Leaves tunnels to that `host:port` without an answer, as for a target that is silent. */
  hold(target: string): void
  untilAsked(target: string): Promise<void>
  /** Ends the connections that are open. */
  hangUp(): void
  /** For good, as by a signal that it cannot catch. */
  kill(): void
}

interface CountingProxyOptions {
  protocol?: ProxyRoute['protocol']
  /** Whom it lets through; everybody otherwise. */
  user?: ProxyUser
  /** Where `host:port` is by its word; others are where they say. */
  places?: Record<string, string>
  label?: string
}

/** Beyond what counts as being as fast as the others. */
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
  const asked: ProxiedAsk[] = []
  const held = new Set<string>()
  const news = new EventEmitter()
  let behaviour: ProxyBehaviour = 'serve'
  const desk: ProxyDesk = {
    behaviour: () => behaviour,
    expected: user && `${user.name}:${user.password}`,
    placeOf(host, port) {
      const place = new URL(`http://${places[`${host}:${port}`] ?? `${host}:${port}`}`)
      return { host: place.hostname.replace(/^\[|\]$/g, ''), port: Number(place.port) || 80 }
    },
    isHeld: (target) => held.has(target),
    write(ask) {
      asked.push(ask)
      news.emit('asked')
    },
  }
  const serve =
    protocol === 'socks5' ? (socket: Socket) => serveSocks(socket, desk) : serveHttpProxy(desk)
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
    async untilAsked(target) {
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
