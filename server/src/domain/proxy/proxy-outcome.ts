import type { Failure, FailureCode } from '../failure.ts'
import type { AttemptTimings } from '../scrape/page.ts'
import { type AttemptRecord, isRetriedStatus } from '../task/attempt.ts'
import type { KeptProxy } from './proxy.ts'
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

/**
 * The proxy of a session for the next attempt of a task. It changes if the task got no response through
 * it; any response, whatever its status, is from the exit that the session is to keep.
 */
export const proxyToKeep = (
  kept: KeptProxy | null,
  earlier: readonly AttemptRecord[],
): KeptProxy | undefined =>
  kept && !earlier.some((record) => record.proxy === kept.label && isUnanswered(record))
    ? kept
    : undefined

function mayBeProxyFault(record: AttemptRecord): boolean {
  const { proxy, outcome, statusCode } = record
  if (proxy === null) return false
  if (outcome === 'page') return statusCode !== null && isRetriedStatus(statusCode)
  return isUnanswered(record)
}

/** Timings mean that the page had arrived and something else failed afterwards. */
const isUnanswered = ({ outcome, timings }: AttemptRecord): boolean =>
  outcome !== 'page' && timings === null && connectionFailures.has(outcome)

const connectionFailures = new Set<FailureCode>([
  'PROXY_FAILED',
  'TARGET_UNREACHABLE',
  'TARGET_DNS_FAILED',
  'TARGET_TIMEOUT',
  'TARGET_TLS_FAILED',
  'BAD_RESPONSE',
])
