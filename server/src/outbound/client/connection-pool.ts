import { outboundError } from '../outbound-error.ts'
import type { PooledConnection } from './pooled-connection.ts'

export type ConnectionPool = ReturnType<typeof createConnectionPool>

/**
 * The pooled connections to one origin. The caller releases what it took, or discards it if it failed.
 * Used instead of undici's pool, which counts a connection as busy for a moment after its response, and so
 * opens a second one for a request that follows at once, as after a redirect.
 */
export function createConnectionPool(
  open: () => PooledConnection,
  close: (connection: PooledConnection) => void,
  connectionsMax: number,
) {
  const idle: PooledConnection[] = []
  const waiting = new Set<(connection: PooledConnection) => void>()
  let openCount = 0
  let isRetired = false

  return { take, release, discard, retire }

  /** The connection used last, a new one, or, if all are in use, the next one that is released. */
  function take(signal: AbortSignal): PooledConnection | Promise<PooledConnection> {
    return idle.pop() ?? (openCount < connectionsMax ? add() : waitForRelease(signal))
  }

  function release(connection: PooledConnection): void {
    if (handOver(connection)) return
    if (isRetired) discard(connection)
    else idle.push(connection)
  }

  function discard(connection: PooledConnection): void {
    openCount -= 1
    close(connection)
    if (waiting.size > 0) handOver(add())
  }

  /** Idle connections close now, the others when they are released. */
  function retire(): void {
    isRetired = true
    for (const connection of idle.splice(0)) discard(connection)
  }

  function add(): PooledConnection {
    const connection = open()
    openCount += 1
    connection.client.on('disconnect', () => {
      const at = idle.indexOf(connection)
      if (at < 0) return
      idle.splice(at, 1)
      discard(connection)
    })
    return connection
  }

  function handOver(connection: PooledConnection): boolean {
    const [next] = waiting
    if (!next) return false
    waiting.delete(next)
    next(connection)
    return true
  }

  function waitForRelease(signal: AbortSignal): Promise<PooledConnection> {
    return new Promise((resolve, reject) => {
      const onReleased = (connection: PooledConnection) => {
        signal.removeEventListener('abort', onAbort)
        resolve(connection)
      }
      const onAbort = () => {
        waiting.delete(onReleased)
        reject(outboundError('aborted', signal.reason))
      }
      waiting.add(onReleased)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }
}
