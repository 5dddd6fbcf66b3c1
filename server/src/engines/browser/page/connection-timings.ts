import type { Connection, GuardedConnect } from '../../../outbound/guarded-connect.ts'
import { TtlCache } from '../../../runtime/ttl-cache.ts'

/** How long it took to reach targets, which the browser cannot tell: it reaches our way out alone. */
export interface ConnectionTimings {
  /** The same, and remembered. */
  readonly connect: GuardedConnect
  /** Of the last connection that was opened there; the host is spelt as `URL.hostname` does. */
  find(host: string, port: number): ReachTimings | undefined
}

export type ReachTimings = Pick<Connection['timings'], 'dnsMs' | 'connectMs'>

const targetsMax = 1_000

export function rememberTimings(connect: GuardedConnect): ConnectionTimings {
  const known = new TtlCache<ReachTimings>({ entriesMax: targetsMax })
  return {
    async connect(request) {
      const connection = await connect(request)
      known.set(`${request.hostname}:${request.port}`, connection.timings)
      return connection
    },
    find: (host, port) => known.get(`${host}:${port}`),
  }
}
