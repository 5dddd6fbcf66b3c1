import type { Purpose } from './address-policy.ts'
import type { EgressGuard } from './egress-guard.ts'
import { OutboundError, outboundError } from './http-client.ts'
import type { Resolver } from './resolver.ts'

/** Judges a name that a proxy will look up; throws an `OutboundError` where it may not. */
export type JudgeRemoteName = (
  name: string,
  purpose: Purpose,
  limits: { signal: AbortSignal; dnsMs: number },
) => Promise<void>

/** A proxy may know names that our DNS does not: nobody waits for those any longer. */
const waitedMsMax = 1_000
/** Where no name is answered, as behind a proxy that is the only way out, each costs that wait once. */
const unansweredKeptMs = 60_000
const unansweredMax = 10_000

/**
 * Looks the name up here as well and refuses it where it leads to what is not public, also if only one
 * of its addresses does: which of them the proxy takes is not ours to say. No answer is no reason.
 */
export function createRemoteNames(parts: {
  guard: EgressGuard
  resolver: Resolver
}): JudgeRemoteName {
  const { guard, resolver } = parts
  const unanswered = new Map<string, number>()

  return async (name, purpose, { signal, dnsMs }) => {
    // Which has addresses of two families, and was judged as a name.
    if (name === 'localhost') return
    const isUnanswered = (unanswered.get(name) ?? 0) > performance.now()
    // Still asked: an answer that came too late is there for whoever comes next.
    const deadlineMs = isUnanswered ? 1 : Math.min(dnsMs, waitedMsMax)
    const found = await resolver.resolve(name, { signal, deadlineMs }).catch((error: unknown) => {
      if (!(error instanceof OutboundError) || error.problem === 'aborted') throw error
      if (error.problem === 'timeout' && !isUnanswered) remember(name)
      return []
    })
    if (guard.keepAllowed(found, purpose).length < found.length) throw outboundError('not_allowed')
  }

  function remember(name: string): void {
    unanswered.delete(name)
    const [oldest] = unanswered.keys()
    if (oldest !== undefined && unanswered.size >= unansweredMax) unanswered.delete(oldest)
    unanswered.set(name, performance.now() + unansweredKeptMs)
  }
}
