import { TtlCache } from '../../runtime/ttl-cache.ts'
import type { GuardedConnect } from '../guarded-connect.ts'
import { type ConnectionPool, createConnectionPool } from './connection-pool.ts'
import {
  type ConnectionEvents,
  type ConnectionTerms,
  openPooledConnection,
  type PooledConnection,
} from './pooled-connection.ts'

/** Lines kept for the next exchange by the same way with the same origin, for a limited number of them. */
export interface OriginPools {
  poolFor(ends: ConnectionEvents): ConnectionPool
  /** A line that belongs to no pool; whoever opens it closes it. */
  open(ends: ConnectionEvents): PooledConnection
  close(line: PooledConnection): void
  closeAll(): Promise<void>
}

const linesPerOriginMax = 64
const originsMax = 512

export function createOriginPools(terms: ConnectionTerms, connect: GuardedConnect): OriginPools {
  const pools = new TtlCache<ConnectionPool>({
    entriesMax: originsMax,
    onEvicted: (pool) => pool.retire(),
  })
  const lines = new Set<PooledConnection>()

  return {
    poolFor(ends) {
      const key = keyOf(ends)
      const pool =
        pools.get(key) ?? createConnectionPool(() => open(ends), close, linesPerOriginMax)
      // Set again at every use, so that the one not used for longest is evicted.
      pools.set(key, pool)
      return pool
    },
    open,
    close,
    async closeAll() {
      await Promise.all([...lines].map((line) => line.close()))
    },
  }

  function open(ends: ConnectionEvents): PooledConnection {
    const line = openPooledConnection(ends, terms, connect)
    lines.add(line)
    return line
  }

  function close(line: PooledConnection): void {
    lines.delete(line)
    void line.close()
  }
}

/** Who is told apart by a proxy, as a user is with his session, never shares a line with another. */
function keyOf({ origin, proxy }: ConnectionEvents): string {
  if (!proxy) return origin
  const { protocol, host, port, user } = proxy
  return JSON.stringify([origin, protocol, host, port, user?.name, user?.password])
}
