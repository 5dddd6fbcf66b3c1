import type { Failure, FailureCode } from '../failure.ts'
import type { AttemptTimings } from '../scrape/page.ts'
import { type AttemptRecord, isRetriedStatus } from '../task/attempt.ts'
import type { ProxyOutcome } from './proxy-health.ts'

/** What an attempt that brought an answer says about its proxy, whose own word a refusal may be. */
export const outcomeOfPage = (
  statusCode: number,
  { connectMs, tlsMs, firstByteMs }: AttemptTimings,
): ProxyOutcome =>
  isRetriedStatus(statusCode)
    ? { kind: 'unknown' }
    : { kind: 'carried', latencyMs: connectMs + tlsMs + firstByteMs }

/** What a failed one says: of most failures the proxy knows nothing. */
export function outcomeOfFailure({
  code,
  isProxyUnusable,
}: Pick<Failure, 'code' | 'isProxyUnusable'>): ProxyOutcome {
  if (isProxyUnusable) return { kind: 'refused' }
  return { kind: code === 'PROXY_FAILED' ? 'failed' : 'unknown' }
}

/**
 * The earlier attempts whose proxies this one has shown to be at fault: they failed the same task, and
 * through another the target answered. Where no other succeeds either it was the target.
 */
export function outdoneBy(
  { proxy, statusCode }: AttemptRecord,
  earlier: readonly AttemptRecord[],
): AttemptRecord[] {
  if (proxy === null || statusCode === null || isRetriedStatus(statusCode)) return []
  return earlier.filter((record) => record.proxy !== proxy && mayBeProxys(record))
}

function mayBeProxys({ proxy, outcome, statusCode, timings }: AttemptRecord): boolean {
  if (proxy === null) return false
  if (outcome === 'page') return statusCode !== null && isRetriedStatus(statusCode)
  // Where there are timings the page had come, and something else went wrong with it.
  return timings === null && ofConnection.has(outcome)
}

const ofConnection = new Set<FailureCode>([
  'PROXY_FAILED',
  'TARGET_UNREACHABLE',
  'TARGET_DNS_FAILED',
  'TARGET_TIMEOUT',
  'TARGET_TLS_FAILED',
  'BAD_RESPONSE',
])
