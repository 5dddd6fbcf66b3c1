import { Client } from 'undici'
import type { Purpose } from './address-policy.ts'
import type { Connection, GuardedConnect } from './guarded-connect.ts'
import { type ExchangeLimits, outboundError } from './http-client.ts'
import { readInSlices } from './read-in-slices.ts'

/** One connection at a time to one origin; it is opened when it is needed, and anew when it is gone. */
export interface Line {
  readonly client: Client
  connection: Connection | undefined
  /** Carried by this connection so far. */
  exchanges: number
  /** Ends it with whatever it is doing. */
  close(): Promise<void>
}

/** What is settled when a connection begins: exchanges that differ in it never share one. */
export interface LineTerms {
  purpose: Purpose
  limits: Pick<ExchangeLimits, 'dnsMs' | 'connectMs' | 'tlsMs' | 'headerBytesMax'>
}

const keepAliveMs = 4000
const keepAliveMsMax = 10_000

export function openLine(
  origin: string,
  { purpose, limits }: LineTerms,
  connect: GuardedConnect,
): Line {
  const closing = new AbortController()
  const client = new Client(origin, {
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: limits.headerBytesMax,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMsMax,
    connect({ hostname, protocol, port }, done) {
      const isTls = protocol === 'https:'
      const portNumber = Number(port) || (isTls ? 443 : 80)
      const { signal } = closing
      connect({ hostname, port: portNumber, isTls, purpose, limits, signal }).then(
        (connection) => {
          line.connection = connection
          line.exchanges = 0
          readInSlices(connection.socket)
          // Undici would dial again, without end, when handed a socket that is already closed.
          if (connection.socket.destroyed) done(outboundError('unreachable'), null)
          else done(null, connection.socket)
        },
        (error: Error) => done(error, null),
      )
    },
  })
  const line: Line = {
    client,
    connection: undefined,
    exchanges: 0,
    close() {
      closing.abort()
      return client.destroy()
    },
  }
  return line
}
