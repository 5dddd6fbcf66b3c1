import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import type { Purpose } from '../guard/address-policy.ts'
import type { Connection, GuardedConnect } from '../guarded-connect.ts'
import { outboundError } from '../outbound-error.ts'
import { relaysRequests } from '../upstream-proxy/http-proxy-protocol.ts'
import { acceptContinue, type ResponseStarts } from './accept-continue.ts'
import type { ExchangeLimits } from './http-client.ts'

/** At most one connection to one origin: opened when needed, and again after it was closed. */
export interface PooledConnection {
  readonly client: Client
  connection: Connection | undefined
  /** The underlying TCP socket, which counts the bytes of handshakes too. */
  wire: Socket | undefined
  responses: ResponseStarts | undefined
  /** How many exchanges this connection has carried. */
  exchanges: number
  /** Closes it at once, and aborts the exchange in progress. */
  close(): Promise<void>
}

/** What is fixed when a connection is opened: exchanges with different terms never share one. */
export interface ConnectionTerms {
  purpose: Purpose
  limits: Pick<ExchangeLimits, 'dnsMs' | 'connectMs' | 'tlsMs' | 'headerBytesMax'>
}

/** Where a connection goes and through which proxy, as which user of it. */
export interface ConnectionRoute {
  origin: string
  proxy?: ProxyRoute | undefined
}

const keepAliveMs = 4000
const keepAliveMsMax = 10_000

export function openPooledConnection(
  { origin, proxy }: ConnectionRoute,
  { purpose, limits }: ConnectionTerms,
  connect: GuardedConnect,
): PooledConnection {
  const closing = new AbortController()
  const onDialled = (wire: Socket) => {
    pooled.wire = wire
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
      const options = { proxy, isRelayed, onDialled, limits, signal: closing.signal }
      connect({ ...target, ...options }).then(
        (connection) => {
          pooled.connection = connection
          pooled.exchanges = 0
          readInSlices(connection.socket)
          pooled.responses = acceptContinue(connection.socket)
          // Given a socket that is already closed, undici would dial again without end.
          if (connection.socket.destroyed) done(outboundError('unreachable'), null)
          else done(null, connection.socket)
        },
        (error: Error) => done(error, null),
      )
    },
  })
  const pooled: PooledConnection = {
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
  return pooled
}

const sliceBytes = 4096

/**
 * Makes a socket return its bytes in small pieces. Undici refuses headers beyond their limit, but parses the
 * current piece to its end, with an error for each further header: 300 ms for a piece of 64 KiB.
 */
function readInSlices(socket: Socket): void {
  const read = socket.read.bind(socket)
  socket.read = (size) => {
    if (socket.destroyed) return null
    const { readableLength } = socket
    return read(size ?? (readableLength > sliceBytes ? sliceBytes : undefined))
  }
}
