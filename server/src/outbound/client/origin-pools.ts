import { TtlCache } from '../../runtime/sharing/ttl-cache.ts'
import type { GuardedConnect } from '../guarded-connect.ts'
import { type ConnectionPool, createConnectionPool } from './connection-pool.ts'
import {
  type ConnectionRoute,
  type ConnectionTerms,
  openPooledConnection,
  type PooledConnection,
} from './pooled-connection.ts'

export type OriginPools = ReturnType<typeof createOriginPools>

const idlePerPoolMax = 64
const poolsMax = 512

/** Keep-alive connection pools, one for each account, origin and proxy; a limited number of them (LRU). */
export function createOriginPools(terms: ConnectionTerms, connect: GuardedConnect) {
  const pools = new TtlCache<ConnectionPool>({
    entriesMax: poolsMax,
    onEvicted: (pool) => pool.retire(),
  })
  const connections = new Set<PooledConnection>()

  return {
    poolFor(route: ConnectionRoute, accountId: string | undefined): ConnectionPool {
      const key = `${accountId} ${keyOf(route)}`
      const pool = pools.get(key) ?? createConnectionPool(() => open(route), close, idlePerPoolMax)
      // Set again at every use, so that the least recently used pool is evicted (LRU).
      pools.set(key, pool)
      return pool
    },
    open,
    close,
    async closeAll(): Promise<void> {
      await Promise.all([...connections].map((connection) => connection.close()))
    },
  }

  /** Opens a connection that belongs to no pool; the caller closes it. */
  function open(route: ConnectionRoute): PooledConnection {
    const connection = openPooledConnection(route, terms, connect)
    connections.add(connection)
    return connection
  }

  function close(connection: PooledConnection): void {
    connections.delete(connection)
    void connection.close()
  }
}

/** Users of a proxy never share a connection: the proxy tells their sessions apart by the user name. */
function keyOf({ origin, proxy }: ConnectionRoute): string {
  if (!proxy) return origin
  const { protocol, host, port, user } = proxy
  return JSON.stringify([origin, protocol, host, port, user?.name, user?.password])
}
