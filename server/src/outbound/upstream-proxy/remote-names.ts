import { setImmediate as nextTurn } from 'node:timers/promises'
import { withDeadline } from '../../runtime/deadline.ts'
import { TtlCache } from '../../runtime/sharing/ttl-cache.ts'
import type { Purpose } from '../guard/address-policy.ts'
import type { EgressGuard } from '../guard/egress-guard.ts'
import { outboundDeadline } from '../outbound-deadline.ts'
import { OutboundError, outboundError } from '../outbound-error.ts'
import type { Lookup, Resolver } from '../resolver.ts'

/** Checks a name that a proxy will resolve; throws an `OutboundError` if it is not allowed. */
export type CheckRemoteName = (
  name: string,
  port: number,
  purpose: Purpose,
  limits: { signal: AbortSignal; dnsMs: number },
) => Promise<void>

/** How long to wait for our DNS. A proxy may know names that our DNS does not answer for. */
const dnsWaitMsMax = 1_000
/** For a name that timed out lately: without a reachable DNS server each name costs the long wait once. */
const repeatedWaitMsMax = 100
const timedOutNamesCache = { ttlMs: 60_000, entriesMax: 10_000 }

/**
 * SSRF check for names behind a proxy: resolves the name here too, and refuses it if any of its addresses is not
 * allowed, because the proxy may pick that one. A name without an answer in time passes: its owner could give the
 * proxy another address than us anyway.
 */
export function createRemoteNameCheck(parts: {
  guard: EgressGuard
  resolver: Resolver
}): CheckRemoteName {
  const { guard, resolver } = parts
  const timedOutNames = new TtlCache<true>(timedOutNamesCache)

  return async (name, port, purpose, { signal, dnsMs }) => {
    const lookup = resolver.lookUp(name)
    const limitMs = Math.min(dnsMs, timedOutNames.get(name) ? repeatedWaitMsMax : dnsWaitMsMax)
    const deadlineMs = Math.max(0, lookup.startedAtMs + limitMs - performance.now())
    if (!(await isCompletedWithin(lookup, { signal, deadlineMs }))) {
      timedOutNames.set(name, true)
      void lookup.completed.then(() => {
        if (lookup.found.length > 0) timedOutNames.delete(name)
      })
    }
    const isAllowed = await guard.areAllowedNow([...lookup.found], port, purpose)
    if (!isAllowed) throw outboundError('not_allowed')
  }
}

async function isCompletedWithin(
  { completed: whole }: Lookup,
  limits: { signal: AbortSignal; deadlineMs: number },
): Promise<boolean> {
  try {
    await withDeadline(whole, outboundDeadline(limits))
    return true
  } catch (error) {
    if (!(error instanceof OutboundError) || error.problem !== 'timeout') throw error
    // An answer that came while the event loop was busy counts as in time.
    return Promise.race([whole.then(() => true), nextTurn(false)])
  }
}
