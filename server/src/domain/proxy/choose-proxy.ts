import type { ListedProxy } from './proxy.ts'
import { isCoolingDown, type ProxyHealth, scoreAt } from './proxy-health.ts'

/** What a task wants of its proxy. */
export interface ProxyWish {
  /** ISO 3166-1 alpha-2 in capitals; null where it does not matter. */
  country: string | null
  isResidentialOnly: boolean
}

/** A proxy with what the choice depends on. */
export interface ProxyCandidate {
  proxy: ListedProxy
  /** Its user name has `{country}` in it: it is wherever it is asked to be. */
  isAnywhere: boolean
  health: ProxyHealth
  usesUnderWay: number
  /** The higher, the later it was chosen last. */
  lastTurn: number
}

/** Costs that differ by no more than this are the same: what was measured is not more exact than that. */
const alike = 4 / 3
/** Even the worst is worth something: what is divided by it stays finite. */
const scoreMin = 0.01
/** No cost comes near it, so that rank and cost fit into one figure. */
const rankStep = 1e9

/**
 * The proxy for one attempt; undefined only where none fits. Those the task has tried come last, the one
 * tried longest ago first; before them those that cool down: such a one may be well again, and only through
 * another is it seen who was at fault. Among the others it is the one that costs least, by its score and by
 * what it carries already; of those that cost alike, the one chosen longest ago.
 *
 * Each candidate is judged once and no list is made of them: 1 000 are to take 50 µs at most.
 */
export function chooseProxy<Candidate extends ProxyCandidate>(
  candidates: readonly Candidate[],
  wish: ProxyWish,
  { tried, nowMs }: { tried: readonly ProxyCandidate[]; nowMs: number },
): Candidate | undefined {
  // Not a number where it does not fit: that is never less than another, nor the same.
  const figures = new Float64Array(candidates.length).fill(Number.NaN)
  for (let index = 0; index < candidates.length; index++) {
    const candidate = candidates[index] as Candidate
    if (fits(candidate, wish)) {
      const rank = isCoolingDown(candidate.health, nowMs) ? 1 : 0
      figures[index] = rank * rankStep + costOf(candidate, nowMs)
    }
  }
  // A few that are looked for in all take less than all that are looked for in a few.
  for (let at = 0; at < tried.length; at++) {
    const candidate = tried[at] as Candidate
    const index = candidates.indexOf(candidate)
    if (index >= 0 && fits(candidate, wish)) {
      const rank = 2 + at + (isCoolingDown(candidate.health, nowMs) ? tried.length : 0)
      figures[index] = rank * rankStep + costOf(candidate, nowMs)
    }
  }
  let least = Number.POSITIVE_INFINITY
  for (const figure of figures) if (figure < least) least = figure
  const most = least + (least % rankStep) * (alike - 1)
  let chosen: Candidate | undefined
  for (let index = 0; index < candidates.length; index++) {
    if (!((figures[index] as number) <= most)) continue
    const candidate = candidates[index] as Candidate
    if (chosen === undefined || candidate.lastTurn < chosen.lastTurn) chosen = candidate
  }
  return chosen
}

/** Whether it could be chosen at all, however it is at the moment. */
export function fits({ proxy, isAnywhere }: ProxyCandidate, wish: ProxyWish): boolean {
  if (wish.isResidentialOnly && proxy.type !== 'residential') return false
  if (wish.country === null) return !isAnywhere || proxy.country !== null
  return isAnywhere || proxy.country === wish.country
}

const costOf = ({ health, usesUnderWay }: ProxyCandidate, nowMs: number): number =>
  (usesUnderWay + 1) / Math.max(scoreAt(health, nowMs), scoreMin)
