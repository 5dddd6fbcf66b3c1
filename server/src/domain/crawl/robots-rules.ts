import { parseHttpUrl } from './canonical-url.ts'
import { comparablePath } from './percent-encoding.ts'
import { matchesWildcards } from './wildcard-match.ts'

/** What a robots.txt says; `parse-robots.ts` reads it. */
export interface RobotsRules {
  /** Those of our group, the longest pattern first and of equal ones `allow` first: the first match decides. */
  readonly rules: readonly RobotsRule[]
  readonly crawlDelayMs: number
  /** As written, so possibly relative; they belong to no group. */
  readonly sitemaps: readonly string[]
}

export interface RobotsRule {
  readonly isAllowed: boolean
  readonly pattern: string
  /** What the pattern has before its first star; the whole of it if there is none. */
  readonly head: string
  /** The pattern ended in `$`: it describes the whole path instead of its beginning. */
  readonly isWhole: boolean
}

/** A file may have thousands of patterns that look at the whole path: the work of judging URLs is limited. */
export interface RobotsBudget {
  charactersLeft: number
}

const charactersPerUrlMax = 400_000

/**
 * Whether the rules allow to fetch the URL; robots.txt itself always may be (RFC 9309, 2.2.2). A URL that
 * would take too long to judge is not fetched.
 */
export function isAllowedByRobots(
  { rules }: RobotsRules,
  url: string | URL,
  budget?: RobotsBudget,
): boolean {
  const parsed = parseHttpUrl(url)
  if (!parsed) return false
  if (parsed.pathname === '/robots.txt') return true
  const path = comparablePath(`${parsed.pathname}${parsed.search}`)
  let charactersLeft = Math.min(charactersPerUrlMax, budget?.charactersLeft ?? charactersPerUrlMax)
  for (const { pattern, head, isWhole, isAllowed } of rules) {
    const isPossible = path.startsWith(head)
    const isSearched = isPossible && head.length < pattern.length
    const characters = isSearched ? path.length : 1
    charactersLeft -= characters
    if (budget) budget.charactersLeft -= characters
    if (charactersLeft < 0) return false
    if (isPossible && matchesWildcards(pattern, path, isWhole)) return isAllowed
  }
  return true
}
