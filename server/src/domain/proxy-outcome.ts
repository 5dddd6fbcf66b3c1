import { type AttemptRecord, isRetriedStatus } from './attempt.ts'
import type { Failure, FailureCode } from './failure.ts'
import type { AttemptTimings } from './page.ts'
import type { ProxyOutcome } from './proxy-health.ts'

/** What an attempt that brought an answer says about its proxy, whose own word a refusal may be. */
export function outcomeOfPage(
  statusCode: number,
  { connectMs, tlsMs, firstByteMs }: AttemptTimings,
): ProxyOutcome {
  const kind = isRetriedStatus(statusCode) ? 'target_failed' : 'carried'
  return { kind, latencyMs: connectMs + tlsMs + firstByteMs }
}

/** What a failed one says: of most failures the proxy knows nothing. */
export function outcomeOfFailure(
  { code, isProxyUnusable }: Pick<Failure, 'code' | 'isProxyUnusable'>,
  durationMs: number,
): ProxyOutcome {
  if (isProxyUnusable) return { kind: 'refused' }
  if (code === 'PROXY_FAILED') return { kind: 'failed' }
  return ofConnection.has(code)
    ? { kind: 'target_failed', latencyMs: durationMs }
    : { kind: 'unknown' }
}

/**
 * The proxies that an attempt has shown to be at fault, by their labels: they failed the same task, and
 * through another the target answered. Where no other succeeds either it was the target.
 */
export function outdoneProxies(
  earlier: readonly AttemptRecord[],
  { proxy, statusCode }: AttemptRecord,
): string[] {
  if (proxy === null || statusCode === null || isRetriedStatus(statusCode)) return []
  const outdone = new Set<string>()
  for (const record of earlier) {
    if (record.proxy !== null && mayBeProxys(record)) outdone.add(record.proxy)
  }
  outdone.delete(proxy)
  return [...outdone]
}

const mayBeProxys = ({ outcome, statusCode }: AttemptRecord): boolean =>
  outcome === 'page'
    ? statusCode !== null && isRetriedStatus(statusCode)
    : outcome === 'PROXY_FAILED' || ofConnection.has(outcome)

const ofConnection = new Set<FailureCode>([
  'TARGET_UNREACHABLE',
  'TARGET_DNS_FAILED',
  'TARGET_TIMEOUT',
  'TARGET_TLS_FAILED',
  'BAD_RESPONSE',
])
