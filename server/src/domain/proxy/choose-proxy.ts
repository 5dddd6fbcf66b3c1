import type { ListedProxy } from './proxy.ts'
import { type ProxyHealth, scoreAt } from './proxy-health.ts'

/** What a task requires of its proxy. */
export interface ProxyRequirements {
  /** ISO 3166-1 alpha-2 in capitals; null where it does not matter. */
  country: string | null
  /** Null where it does not matter. */
  type: ListedProxy['type'] | null
}

/** A proxy with the facts that the choice depends on. */
export interface ProxyCandidate {
  proxy: ListedProxy
  /** Its user name contains `{country}`: it has an exit in whichever country a task requires. */
  servesAnyCountry: boolean
  health: ProxyHealth
  /** An account has blamed it: it may cool down for that account alone. */
  isBlamed: boolean
  activeUses: number
  /** The number of the choice that last took it, for round robin. */
  lastChosenSeq: number
}

/** Costs within this ratio count as equal, because scores are not measured more exactly. */
const costTolerance = 4 / 3
/** Keeps the cost finite, which divides by the score. */
const scoreMin = 0.01
/** Far above any cost, so that rank and cost fit into one number. */
const rankStep = 1e9

/**
 * Chooses the proxy for one attempt; undefined only where none meets the requirements. Proxies that the
 * task has not tried come first, then those of them that are cooling down: they may work again, and only
 * another proxy shows whether the tried one was at fault. Tried ones come last, the one tried longest ago
 * first. Within a rank the lowest cost wins, by score and active uses; equal costs take turns (round robin).
 *
 * Each candidate is rated once, without building lists: 1,000 candidates may take 50 µs at most.
 */
export function chooseProxy<Candidate extends ProxyCandidate>(
  candidates: readonly Candidate[],
  required: ProxyRequirements,
  given: {
    tried: readonly ProxyCandidate[]
    nowMs: number
    coolsDown: (candidate: Candidate) => boolean
  },
): Candidate | undefined {
  const { tried, nowMs, coolsDown } = given
  // NaN marks candidates that do not meet the requirements: no comparison with it is true.
  const ratings = new Float64Array(candidates.length).fill(Number.NaN)
  for (let index = 0; index < candidates.length; index++) {
    const candidate = candidates[index] as Candidate
    if (meetsRequirements(candidate, required)) {
      const rank = coolsDown(candidate) ? 1 : 0
      ratings[index] = rank * rankStep + costOf(candidate, nowMs)
    }
  }
  // Tried proxies are few: finding each in the list is faster than checking each candidate for it.
  for (let order = 0; order < tried.length; order++) {
    const candidate = tried[order] as Candidate
    const index = candidates.indexOf(candidate)
    if (index >= 0 && meetsRequirements(candidate, required)) {
      const rank = 2 + order + (coolsDown(candidate) ? tried.length : 0)
      ratings[index] = rank * rankStep + costOf(candidate, nowMs)
    }
  }
  let best = Number.POSITIVE_INFINITY
  for (const rating of ratings) if (rating < best) best = rating
  const ratingMax = best + (best % rankStep) * (costTolerance - 1)
  let chosen: Candidate | undefined
  for (let index = 0; index < candidates.length; index++) {
    if (!((ratings[index] as number) <= ratingMax)) continue
    const candidate = candidates[index] as Candidate
    if (chosen === undefined || candidate.lastChosenSeq < chosen.lastChosenSeq) chosen = candidate
  }
  return chosen
}

/** Whether a proxy could be chosen at all, whatever its health is. */
export function meetsRequirements(
  { proxy, servesAnyCountry }: ProxyCandidate,
  required: ProxyRequirements,
): boolean {
  if (required.type !== null && proxy.type !== required.type) return false
  if (required.country === null) return !servesAnyCountry || proxy.country !== null
  return servesAnyCountry || proxy.country === required.country
}

const costOf = ({ health, activeUses }: ProxyCandidate, nowMs: number): number =>
  (activeUses + 1) / Math.max(scoreAt(health, nowMs), scoreMin)
