import type { PooledConnection } from './pooled-connection.ts'

export type ConnectionPool = ReturnType<typeof createConnectionPool>

/**
 * The keep-alive connections to one origin. The caller releases what it took, or discards it if it failed. Nobody
 * waits for a connection: a wait would be time in which the target was not asked, and lanes limit what runs at once.
 * Used instead of undici's pool, which counts a connection as busy for a moment after its response, and so
 * opens a second one for a request that follows at once, as after a redirect.
 */
export function createConnectionPool(
  open: () => PooledConnection,
  close: (connection: PooledConnection) => void,
  idleMax: number,
) {
  const idle: PooledConnection[] = []
  let isRetired = false

  return {
    /** The connection used last, or a new one. */
    take: (): PooledConnection => idle.pop() ?? add(),
    release(connection: PooledConnection): void {
      if (isRetired || idle.length >= idleMax) close(connection)
      else idle.push(connection)
    },
    discard: close,
    /** Idle connections close now, the others when they are released. */
    retire(): void {
      isRetired = true
      for (const connection of idle.splice(0)) close(connection)
    },
  }

  function add(): PooledConnection {
    const connection = open()
    connection.client.on('disconnect', () => {
      const at = idle.indexOf(connection)
      if (at < 0) return
      idle.splice(at, 1)
      close(connection)
    })
    return connection
  }
}
