import type { GuardedConnect } from './guarded-connect.ts'
import { type Line, type LineTerms, openLine } from './line.ts'
import { createLinePool, type LinePool } from './line-pool.ts'

/** Lines kept for the next exchange with the same origin, for a limited number of origins. */
export interface OriginLines {
  poolFor(origin: string): LinePool
  /** A line that belongs to no pool; whoever opens it closes it. */
  open(origin: string): Line
  close(line: Line): void
  closeAll(): Promise<void>
}

const linesPerOriginMax = 64
const originsMax = 512

export function createOriginLines(terms: LineTerms, connect: GuardedConnect): OriginLines {
  const pools = new Map<string, LinePool>()
  const lines = new Set<Line>()

  return {
    poolFor(origin) {
      const pool = pools.get(origin) ?? openPool(origin)
      // A map keeps the order of insertion: the first is the one not used for longest.
      pools.delete(origin)
      pools.set(origin, pool)
      return pool
    },
    open,
    close,
    async closeAll() {
      await Promise.all([...lines].map((line) => line.close()))
    },
  }

  function openPool(origin: string): LinePool {
    const [unused] = pools
    if (unused && pools.size >= originsMax) {
      pools.delete(unused[0])
      unused[1].retire()
    }
    return createLinePool(() => open(origin), close, linesPerOriginMax)
  }

  function open(origin: string): Line {
    const line = openLine(origin, terms, connect)
    lines.add(line)
    return line
  }

  function close(line: Line): void {
    lines.delete(line)
    void line.close()
  }
}
