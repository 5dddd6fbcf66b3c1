import type { FailureCode } from './failure.ts'
import type { AttemptTimings } from './page.ts'
import type { ProxyOutcome } from './proxy-health.ts'

/** What an attempt that brought a page says about its proxy. */
export const outcomeOfPage = ({ connectMs, tlsMs, firstByteMs }: AttemptTimings): ProxyOutcome => ({
  kind: 'carried',
  latencyMs: connectMs + tlsMs + firstByteMs,
})

/** What a failed one says: of most failures the proxy knows nothing. */
export function outcomeOfFailure(code: FailureCode, durationMs: number): ProxyOutcome {
  if (code === 'PROXY_FAILED') return { kind: 'refused' }
  return ofTarget.has(code) ? { kind: 'target_failed', latencyMs: durationMs } : { kind: 'unknown' }
}

const ofTarget = new Set<FailureCode>([
  'TARGET_UNREACHABLE',
  'TARGET_DNS_FAILED',
  'TARGET_TIMEOUT',
  'TARGET_TLS_FAILED',
  'BAD_RESPONSE',
])
