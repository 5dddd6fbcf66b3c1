import { outboundError } from '../outbound-error.ts'
import type { PooledConnection } from './pooled-connection.ts'

/** The lines to one origin. Whoever takes one gives it back, or discards it when it failed. */
export interface ConnectionPool {
  /** The line used last, a new one, or, where all are taken, the next that comes back. */
  take(signal: AbortSignal): PooledConnection | Promise<PooledConnection>
  giveBack(line: PooledConnection): void
  discard(line: PooledConnection): void
  /** Lines that are idle close now, the others when they come back. */
  retire(): void
}

/**
 * Undici's own pool counts a line as busy for a moment after its answer, and so opens a second
 * connection to whoever asks again at once, as after a redirect.
 */
export function createConnectionPool(
  open: () => PooledConnection,
  close: (line: PooledConnection) => void,
  linesMax: number,
): ConnectionPool {
  const idle: PooledConnection[] = []
  const waiting = new Set<(line: PooledConnection) => void>()
  let lines = 0
  let isRetired = false

  return { take, giveBack, discard, retire }

  function take(signal: AbortSignal): PooledConnection | Promise<PooledConnection> {
    return idle.pop() ?? (lines < linesMax ? add() : waitForOne(signal))
  }

  function giveBack(line: PooledConnection): void {
    if (handOver(line)) return
    if (isRetired) discard(line)
    else idle.push(line)
  }

  function discard(line: PooledConnection): void {
    lines -= 1
    close(line)
    if (waiting.size > 0) handOver(add())
  }

  function retire(): void {
    isRetired = true
    for (const line of idle.splice(0)) discard(line)
  }

  function add(): PooledConnection {
    const line = open()
    lines += 1
    line.client.on('disconnect', () => {
      const at = idle.indexOf(line)
      if (at < 0) return
      idle.splice(at, 1)
      discard(line)
    })
    return line
  }

  function handOver(line: PooledConnection): boolean {
    const [next] = waiting
    if (!next) return false
    waiting.delete(next)
    next(line)
    return true
  }

  function waitForOne(signal: AbortSignal): Promise<PooledConnection> {
    return new Promise((resolve, reject) => {
      const receive = (line: PooledConnection) => {
        signal.removeEventListener('abort', giveUp)
        resolve(line)
      }
      const giveUp = () => {
        waiting.delete(receive)
        reject(outboundError('aborted', signal.reason))
      }
      waiting.add(receive)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }
}
