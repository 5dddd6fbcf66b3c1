import type { Failure, FailureCode } from '../failure.ts'
import type { AttemptTimings } from '../scrape/page.ts'
import { type AttemptRecord, isRetriedStatus } from '../task/attempt.ts'
import type { ProxyOutcome } from './proxy-health.ts'

/** What a response says about the proxy. Statuses that are retried may come from the proxy itself. */
export const outcomeOfPage = (
  statusCode: number,
  { connectMs, tlsMs, firstByteMs }: AttemptTimings,
): ProxyOutcome =>
  isRetriedStatus(statusCode)
    ? { kind: 'unknown' }
    : { kind: 'carried', latencyMs: connectMs + tlsMs + firstByteMs }

/** What a failed attempt says about the proxy: most failures have nothing to do with it. */
export function outcomeOfFailure({
  code,
  isProxyUnusable,
}: Pick<Failure, 'code' | 'isProxyUnusable'>): ProxyOutcome {
  if (isProxyUnusable) return { kind: 'refused' }
  return { kind: code === 'PROXY_FAILED' ? 'failed' : 'unknown' }
}

/**
 * The earlier attempts of a task that failed because of their proxies: the target responded through
 * another proxy. If no proxy succeeds, the target is at fault.
 */
export function findProxyFaults(
  { proxy, statusCode }: AttemptRecord,
  earlier: readonly AttemptRecord[],
): AttemptRecord[] {
  if (proxy === null || statusCode === null || isRetriedStatus(statusCode)) return []
  return earlier.filter((record) => record.proxy !== proxy && mayBeProxyFault(record))
}

function mayBeProxyFault({ proxy, outcome, statusCode, timings }: AttemptRecord): boolean {
  if (proxy === null) return false
  if (outcome === 'page') return statusCode !== null && isRetriedStatus(statusCode)
  // Timings mean that the page had arrived and something else failed afterwards.
  return timings === null && connectionFailures.has(outcome)
}

const connectionFailures = new Set<FailureCode>([
  'PROXY_FAILED',
  'TARGET_UNREACHABLE',
  'TARGET_DNS_FAILED',
  'TARGET_TIMEOUT',
  'TARGET_TLS_FAILED',
  'BAD_RESPONSE',
])
