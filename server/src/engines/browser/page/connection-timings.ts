import type { Connection, GuardedConnect } from '../../../outbound/guarded-connect.ts'
import { TtlCache } from '../../../runtime/ttl-cache.ts'

/** DNS and connect times of targets, which the browser cannot measure behind the egress proxy. */
export interface ConnectionTimings {
  /** The given `connect`, with its timings recorded. */
  readonly connect: GuardedConnect
  /** The timings of the last connection to this host (as in `URL.hostname`) and port. */
  find(host: string, port: number): ConnectTimings | undefined
}

export type ConnectTimings = Pick<Connection['timings'], 'dnsMs' | 'connectMs'>

const targetsMax = 1_000

export function recordTimings(connect: GuardedConnect): ConnectionTimings {
  const known = new TtlCache<ConnectTimings>({ entriesMax: targetsMax })
  return {
    async connect(request) {
      const connection = await connect(request)
      known.set(`${request.hostname}:${request.port}`, connection.timings)
      return connection
    },
    find: (host, port) => known.get(`${host}:${port}`),
  }
}
