import { TtlCache } from '../runtime/ttl-cache.ts'
import type { GuardedConnect } from './guarded-connect.ts'
import { type Line, type LineEnds, type LineTerms, openLine } from './line.ts'
import { createLinePool, type LinePool } from './line-pool.ts'

/** Lines kept for the next exchange by the same way with the same origin, for a limited number of them. */
export interface OriginLines {
  poolFor(ends: LineEnds): LinePool
  /** A line that belongs to no pool; whoever opens it closes it. */
  open(ends: LineEnds): Line
  close(line: Line): void
  closeAll(): Promise<void>
}

const linesPerOriginMax = 64
const originsMax = 512

export function createOriginLines(terms: LineTerms, connect: GuardedConnect): OriginLines {
  const pools = new TtlCache<LinePool>({
    entriesMax: originsMax,
    onEvicted: (pool) => pool.retire(),
  })
  const lines = new Set<Line>()

  return {
    poolFor(ends) {
      const key = keyOf(ends)
      const pool = pools.get(key) ?? createLinePool(() => open(ends), close, linesPerOriginMax)
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

  function open(ends: LineEnds): Line {
    const line = openLine(ends, terms, connect)
    lines.add(line)
    return line
  }

  function close(line: Line): void {
    lines.delete(line)
    void line.close()
  }
}

/** Who is told apart by a proxy, as a user is with his session, never shares a line with another. */
function keyOf({ origin, proxy }: LineEnds): string {
  if (!proxy) return origin
  const { protocol, host, port, user } = proxy
  return JSON.stringify([origin, protocol, host, port, user?.name, user?.password])
}
