import type { Connection, GuardedConnect } from '../../../outbound/guarded-connect.ts'
import { TtlCache } from '../../../runtime/sharing/ttl-cache.ts'

export type ConnectTimings = Pick<Connection['timings'], 'dnsMs' | 'connectMs'>

const targetsMax = 1_000

/** DNS and connect times of targets, which the browser cannot measure behind the egress proxy. */
export function recordTimings(connect: GuardedConnect) {
  const known = new TtlCache<ConnectTimings>({ entriesMax: targetsMax })
  return {
    /** The given `connect`, with its timings recorded. */
    async connect(request: Parameters<GuardedConnect>[0]): Promise<Connection> {
      const connection = await connect(request)
      known.set(`${request.hostname}:${request.port}`, connection.timings)
      return connection
    },
    /** The timings of the last connection to this host (as in `URL.hostname`) and port. */
    find: (host: string, port: number): ConnectTimings | undefined => known.get(`${host}:${port}`),
  }
}
