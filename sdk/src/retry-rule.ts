import { ConflictError, ConnectionError, type TrawlError } from './trawl-error.ts'

/** What a call allows: how often, and whether doing it twice is the same as once. */
export interface RetryTerms {
  maxRetries: number
  /** GET, PUT and DELETE, or a POST with an idempotency key that its route honours. */
  isRepeatable: boolean
  hasKey: boolean
}

// Refused before anything was done, so that any request may be sent again.
const refusals = ['RATE_LIMITED', 'QUEUE_FULL', 'OVERLOADED', 'STORE_FULL']
const retryAfterSecondsMax = 60
const pauseMsFirst = 500
const pauseMsMax = 8_000

/** How long to wait before the next try; undefined if there is none. `random` is from 0 to 1. */
export function chooseRetryPause(
  error: TrawlError,
  { maxRetries, isRepeatable, hasKey }: RetryTerms,
  { retryCount, random }: { retryCount: number; random: number },
): number | undefined {
  if (retryCount >= maxRetries) return undefined
  const isWorthIt =
    refusals.includes(error.code) ||
    (isRepeatable && isPassing(error)) ||
    // The first try is still being answered; its answer is the one to get.
    (hasKey && error instanceof ConflictError)
  if (!isWorthIt) return undefined
  if (error.retryAfter === undefined) return backoffMs(retryCount, random)
  return error.retryAfter > retryAfterSecondsMax ? undefined : error.retryAfter * 1_000
}

/** Exponential backoff with jitter, so that callers who failed together do not return together. */
export const backoffMs = (retryCount: number, random: number): number =>
  Math.min(pauseMsMax, pauseMsFirst * 2 ** retryCount) * (0.5 + random / 2)

const isPassing = (error: TrawlError): boolean =>
  error instanceof ConnectionError ||
  (error.retryable &&
    error.status !== undefined &&
    [429, 500, 502, 503, 504].includes(error.status))
