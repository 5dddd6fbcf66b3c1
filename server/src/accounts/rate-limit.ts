import type { Database } from '../storage/database.ts'
import { countRequest } from '../storage/tables/rate-windows.ts'

/** A rate limit per account: so many requests in a fixed window, counted over all processes. */
export interface RateLimit {
  name: string
  requestsMax: number
  windowSeconds: number
}

export async function consumeRateLimit(db: Database, limit: RateLimit, accountId: string) {
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
