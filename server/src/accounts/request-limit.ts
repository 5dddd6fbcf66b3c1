import type { Database } from '../storage/database.ts'
import { countRequest } from '../storage/rate-windows-table.ts'

/** So many requests of one kind in so long, for each account, over all processes together. */
export interface RequestLimit {
  name: string
  requestsMax: number
  windowSeconds: number
}

export interface RequestAllowance {
  isWithin: boolean
  remainingCount: number
  resetSeconds: number
}

export async function countAgainst(
  db: Database,
  limit: RequestLimit,
  accountId: string,
): Promise<RequestAllowance> {
  const nowMs = db.nowMs()
  const windowMs = limit.windowSeconds * 1000
  const [window] = await db.run(
    countRequest({ name: `${limit.name} ${accountId}`, nowMs, windowMs }),
  )
  const { startedAtMs = nowMs, requestCount = 1 } = window ?? {}
  return {
    isWithin: requestCount <= limit.requestsMax,
    remainingCount: Math.max(0, limit.requestsMax - requestCount),
    resetSeconds: Math.max(1, Math.ceil((startedAtMs + windowMs - nowMs) / 1000)),
  }
}
