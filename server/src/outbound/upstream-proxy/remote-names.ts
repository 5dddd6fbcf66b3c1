import { setImmediate as nextTurn } from 'node:timers/promises'
import { withDeadline } from '../../runtime/deadline.ts'
import { TtlCache } from '../../runtime/ttl-cache.ts'
import type { Purpose } from '../guard/address-policy.ts'
import type { EgressGuard } from '../guard/egress-guard.ts'
import { outboundDeadline } from '../outbound-deadline.ts'
import { OutboundError, outboundError } from '../outbound-error.ts'
import type { Lookup, Resolver } from '../resolver.ts'

/** Judges a name that a proxy will look up; throws an `OutboundError` where it may not. */
export type JudgeRemoteName = (
  name: string,
  port: number,
  purpose: Purpose,
  limits: { signal: AbortSignal; dnsMs: number },
) => Promise<void>

/** From the question on. A proxy may know names that our DNS does not: nobody waits for those any longer. */
const waitedMsMax = 1_000
/** Where no name is answered, as behind a proxy that is the only way out, each costs that wait once. */
const waitedAgainMsMax = 100
const unanswered = { ttlMs: 60_000, entriesMax: 10_000 }

/**
 * Looks the name up here as well and refuses it where it leads to what is not public, also if only one
 * of its addresses does: which of them the proxy takes is not ours to say. No answer is no reason, nor is
 * one that comes too late: whoever owns the name can always tell the proxy another address than us.
 */
export function createRemoteNames(parts: {
  guard: EgressGuard
  resolver: Resolver
}): JudgeRemoteName {
  const { guard, resolver } = parts
  const silentNames = new TtlCache<true>(unanswered)

  return async (name, port, purpose, { signal, dnsMs }) => {
    const lookup = resolver.lookUp(name)
    const limitMs = Math.min(dnsMs, silentNames.get(name) ? waitedAgainMsMax : waitedMsMax)
    const deadlineMs = Math.max(0, lookup.beganMs + limitMs - performance.now())
    if (!(await isWholeWithin(lookup, { signal, deadlineMs }))) {
      silentNames.set(name, true)
      void lookup.whole.then(() => {
        if (lookup.found.length > 0) silentNames.delete(name)
      })
    }
    const isAllowed = await guard.areAllowedNow([...lookup.found], port, purpose)
    if (!isAllowed) throw outboundError('not_allowed')
  }
}

async function isWholeWithin(
  { whole }: Lookup,
  limits: { signal: AbortSignal; deadlineMs: number },
): Promise<boolean> {
  try {
    await withDeadline(whole, outboundDeadline(limits))
    return true
  } catch (error) {
    if (!(error instanceof OutboundError) || error.problem !== 'timeout') throw error
    // What has come while this process was busy with other things was in time.
    return Promise.race([whole.then(() => true), nextTurn(false)])
  }
}
