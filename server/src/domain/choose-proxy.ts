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
 * tried longest ago first; before them those that cool down. Among the others it is the one that costs
 * least, by its score and by what it carries already; of those that cost alike, the one chosen longest ago.
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
  let least = Number.POSITIVE_INFINITY
  for (let index = 0; index < candidates.length; index++) {
    const candidate = candidates[index] as Candidate
    if (!fits(candidate, wish)) continue
    const figure = rankOf(candidate, tried, nowMs) * rankStep + costOf(candidate, nowMs)
    figures[index] = figure
    if (figure < least) least = figure
  }
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

/**
 * 0 is best. What was tried later in this task ranks after what was tried earlier. Another that cools down
 * ranks before them: it may be well again, and only through another is it seen who was at fault.
 */
function rankOf(
  candidate: ProxyCandidate,
  tried: readonly ProxyCandidate[],
  nowMs: number,
): number {
  let rank = tried.length
  // `lastIndexOf` would do the same in twice the time of the whole choice.
  while (rank > 0 && tried[rank - 1] !== candidate) rank--
  const isCooling = isCoolingDown(candidate.health, nowMs)
  if (rank === 0) return isCooling ? 1 : 0
  return 1 + rank + (isCooling ? tried.length : 0)
}

const costOf = ({ health, usesUnderWay }: ProxyCandidate, nowMs: number): number =>
  (usesUnderWay + 1) / Math.max(scoreAt(health, nowMs), scoreMin)
