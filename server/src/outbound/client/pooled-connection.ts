import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import type { Purpose } from '../guard/address-policy.ts'
import type { Connection, GuardedConnect } from '../guarded-connect.ts'
import { outboundError } from '../outbound-error.ts'
import { relaysRequests } from '../upstream-proxy/http-proxy-protocol.ts'
import { acceptContinue, type ResponseStarts } from './accept-continue.ts'
import type { ExchangeLimits } from './http-client.ts'
import { readInSlices } from './read-in-slices.ts'

/** One connection at a time to one origin; it is opened when it is needed, and anew when it is gone. */
export interface PooledConnection {
  readonly client: Client
  connection: Connection | undefined
  /** What this connection goes over, handshakes included. */
  wire: Socket | undefined
  /** Of this connection. */
  responses: ResponseStarts | undefined
  /** Carried by this connection so far. */
  exchanges: number
  /** Ends it with whatever it is doing. */
  close(): Promise<void>
}

/** What is settled when a connection begins: exchanges that differ in it never share one. */
export interface ConnectionTerms {
  purpose: Purpose
  limits: Pick<ExchangeLimits, 'dnsMs' | 'connectMs' | 'tlsMs' | 'headerBytesMax'>
}

/** Where a line goes and by which way; the proxy's user is part of that. */
export interface ConnectionEvents {
  origin: string
  proxy?: ProxyRoute | undefined
}

const keepAliveMs = 4000
const keepAliveMsMax = 10_000

export function openPooledConnection(
  { origin, proxy }: ConnectionEvents,
  { purpose, limits }: ConnectionTerms,
  connect: GuardedConnect,
): PooledConnection {
  const closing = new AbortController()
  const onDialled = (wire: Socket) => {
    line.wire = wire
  }
  const client = new Client(origin, {
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: limits.headerBytesMax,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMsMax,
    connect({ hostname, protocol, port }, done) {
      const isTls = protocol === 'https:'
      const portNumber = Number(port) || (isTls ? 443 : 80)
      const isRelayed = !isTls && relaysRequests(proxy)
      const target = { hostname, port: portNumber, isTls, purpose }
      const way = { proxy, isRelayed, onDialled, limits, signal: closing.signal }
      connect({ ...target, ...way }).then(
        (connection) => {
          line.connection = connection
          line.exchanges = 0
          readInSlices(connection.socket)
          line.responses = acceptContinue(connection.socket)
          // Undici would dial again, without end, when handed a socket that is already closed.
          if (connection.socket.destroyed) done(outboundError('unreachable'), null)
          else done(null, connection.socket)
        },
        (error: Error) => done(error, null),
      )
    },
  })
  const line: PooledConnection = {
    client,
    connection: undefined,
    wire: undefined,
    responses: undefined,
    exchanges: 0,
    close() {
      closing.abort()
      return client.destroy()
    },
  }
  return line
}
