import { parseRobots } from './parse-robots.ts'
import type { RobotsRules } from './robots-rules.ts'

/** What came of fetching robots.txt, after redirects. */
export type RobotsResponse =
  | { readonly status: number; readonly body: Uint8Array }
  | { readonly status: 'unreachable' }

/**
 * What a response to the request for robots.txt means (RFC 9309, 2.3.1): its rules, or all is allowed
 * where there is none, or all is forbidden while the server fails. `unknown`: there was no response.
 */
export function* robotsVerdict(
  response: RobotsResponse,
): Generator<undefined, RobotsRules | 'unknown'> {
  if (response.status === 'unreachable') return 'unknown'
  if (response.status >= 500) return nothingAllowed
  // A redirect that is left led nowhere, which counts as no robots.txt.
  const isPresent = response.status >= 200 && response.status < 300
  return isPresent ? yield* parseRobots(response.body) : everythingAllowed
}

const everythingAllowed: RobotsRules = { rules: [], crawlDelayMs: 0, sitemaps: [] }
const nothingAllowed: RobotsRules = {
  ...everythingAllowed,
  rules: [{ isAllowed: false, pattern: '/', head: '/', isWhole: false }],
}
