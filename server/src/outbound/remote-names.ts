import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Purpose } from './address-policy.ts'
import type { EgressGuard } from './egress-guard.ts'
import { OutboundError, outboundError } from './outbound-error.ts'
import type { Lookup, Resolver } from './resolver.ts'
import { waitAtMost } from './wait-at-most.ts'

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
const lateKeptMs = 60_000
const lateMax = 10_000

/** A name whose answer, or a part of it, was not there in time. */
interface Late {
  /** An address that it has brought since and that the guard refuses. */
  refused: string | undefined
  untilMs: number
}

/**
 * Looks the name up here as well and refuses it where it leads to what is not public, also if only one
 * of its addresses does: which of them the proxy takes is not ours to say. No answer is no reason.
 */
export function createRemoteNames(parts: {
  guard: EgressGuard
  resolver: Resolver
}): JudgeRemoteName {
  const { guard, resolver } = parts
  const latecomers = new Map<string, Late>()

  return async (name, port, purpose, { signal, dnsMs }) => {
    const key = `${purpose} ${name} ${port}`
    const isLate = findLate(key) !== undefined
    const lookup = resolver.lookUp(name)
    const limitMs = Math.min(dnsMs, isLate ? waitedAgainMsMax : waitedMsMax)
    const deadlineMs = Math.max(0, lookup.beganMs + limitMs - performance.now())
    if (!(await isWholeWithin(lookup, { signal, deadlineMs }))) {
      if (!isLate) remember(key, undefined)
      void judgeRest(lookup, key, port, purpose)
    }
    const found = [...lookup.found, findLate(key)?.refused].filter((one) => one !== undefined)
    if (!(await guard.areAllowedNow(found, port, purpose))) throw outboundError('not_allowed')
  }

  /** For whoever comes next, whatever its time to live: an answer may be late on purpose. */
  async function judgeRest(
    lookup: Lookup,
    key: string,
    port: number,
    purpose: Purpose,
  ): Promise<void> {
    const judged = lookup.found.length
    await lookup.whole
    const rest = lookup.found.slice(judged)
    if (rest.length === 0) return
    const kept = guard.keepAllowed(rest, port, purpose)
    const refused = rest.find((address, at) => address !== kept[at])
    if (refused !== undefined) remember(key, refused)
    else if (findLate(key)?.refused === undefined) latecomers.delete(key)
  }

  function findLate(key: string): Late | undefined {
    const late = latecomers.get(key)
    return late && late.untilMs > performance.now() ? late : undefined
  }

  function remember(key: string, refused: string | undefined): void {
    latecomers.delete(key)
    const [oldest] = latecomers.keys()
    if (oldest !== undefined && latecomers.size >= lateMax) latecomers.delete(oldest)
    latecomers.set(key, { refused, untilMs: performance.now() + lateKeptMs })
  }
}

async function isWholeWithin(
  { whole }: Lookup,
  limits: { signal: AbortSignal; deadlineMs: number },
): Promise<boolean> {
  try {
    await waitAtMost(whole, limits)
    return true
  } catch (error) {
    if (!(error instanceof OutboundError) || error.problem !== 'timeout') throw error
    // What has come while this process was busy with other things was in time.
    return Promise.race([whole.then(() => true), nextTurn(false)])
  }
}
