import { parseHttpUrl, urlCharactersMax } from './canonical-url.ts'
import { encodePattern, normalizeEscapes } from './percent-encoding.ts'
import { collapseStars, matchesWildcards } from './wildcard-match.ts'

/**
 * Reads robots.txt by RFC 9309. robots-parser does not compare escapes as the RFC's examples do, lets a
 * `sitemap` line end a group and took 20 s for one URL with hostile patterns, so this is our own.
 */
export interface RobotsRules {
  /** Those of our group, the longest pattern first and of equal ones `allow` first: the first match decides. */
  readonly rules: readonly RobotsRule[]
  readonly crawlDelayMs: number
  /** As written, so possibly relative; they belong to no group. */
  readonly sitemaps: readonly string[]
}

interface RobotsRule {
  readonly isAllowed: boolean
  readonly pattern: string
  /** What the pattern has before its first star; the whole of it if there is none. */
  readonly head: string
  /** The pattern ended in `$`: it describes the whole path instead of its beginning. */
  readonly isWhole: boolean
}

/** The name by which robots.txt and `X-Robots-Tag` address this service. */
export const robotsName = 'trawl'

/** What the RFC asks to be read at least; the rest is ignored. */
export const robotsBytesMax = 500 * 1024
const rulesMax = 10_000
const sitemapsMax = 1_000
const crawlDelayMsMax = 30_000
/** A file may have thousands of patterns that look at the whole path: the work of judging URLs is limited. */
export interface RobotsBudget {
  charactersLeft: number
}

const charactersPerUrlMax = 400_000

export function parseRobots(bytes: Uint8Array): RobotsRules {
  const reader = new RobotsReader()
  for (const line of wholeLines(bytes)) {
    const [, key, value] = /^\s*([a-z-]+)\s*:(.*)$/is.exec(line.split('#', 1)[0] ?? '') ?? []
    if (key !== undefined && value !== undefined) reader.read(key.toLowerCase(), value.trim())
  }
  return reader.rules
}

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
  const path = comparable(`${parsed.pathname}${parsed.search}`)
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

/** What came of fetching robots.txt, after redirects. */
export type RobotsResponse =
  | { readonly status: number; readonly body: Uint8Array }
  | { readonly status: 'unreachable' }

/**
 * What a response to the request for robots.txt means (RFC 9309, 2.3.1): its rules, or all is allowed
 * where there is none, or all is forbidden while the server fails. `unknown`: there was no response.
 */
export function robotsVerdict(response: RobotsResponse): RobotsRules | 'unknown' {
  if (response.status === 'unreachable') return 'unknown'
  if (response.status >= 500) return nothingAllowed
  // A redirect that is left led nowhere, which counts as no robots.txt.
  const isPresent = response.status >= 200 && response.status < 300
  return isPresent ? parseRobots(response.body) : everythingAllowed
}

const everythingAllowed: RobotsRules = { rules: [], crawlDelayMs: 0, sitemaps: [] }
const nothingAllowed: RobotsRules = {
  ...everythingAllowed,
  rules: [{ isAllowed: false, pattern: '/', head: '/', isWhole: false }],
}

interface RobotsGroup {
  rules: RobotsRule[]
  crawlDelayMs: number
}

class RobotsReader {
  /** The groups that concern us, by name; several groups of one name are one. */
  readonly #groups = new Map<string, RobotsGroup>()
  readonly #sitemaps: string[] = []
  /** The groups that the current lines belong to. */
  #current = new Set<RobotsGroup>()
  /** Names that follow each other begin one group together. */
  #isAfterName = false
  #rulesLeft = rulesMax

  get rules(): RobotsRules {
    const group = this.#groups.get(robotsName) ?? this.#groups.get('*')
    return {
      rules: (group?.rules ?? []).toSorted(byPrecedence),
      crawlDelayMs: group?.crawlDelayMs ?? 0,
      sitemaps: this.#sitemaps,
    }
  }

  read(key: string, value: string): void {
    if (key === 'user-agent') this.#openGroup(value)
    else if (key === 'allow' || key === 'disallow') this.#addRule(key === 'allow', value)
    else if (key === 'crawl-delay') this.#setCrawlDelay(value)
    else if (key === 'sitemap') this.#addSitemap(value)
  }

  #openGroup(value: string): void {
    if (!this.#isAfterName) this.#current = new Set()
    this.#isAfterName = true
    // A version after the name, as in `trawl/1.0`, does not count.
    const name = /^(?:\*(?=\s|$)|[a-z_-]+)/i.exec(value)?.[0].toLowerCase()
    if (name !== '*' && name !== robotsName) return
    const group = this.#groups.get(name) ?? { rules: [], crawlDelayMs: 0 }
    this.#groups.set(name, group)
    this.#current.add(group)
  }

  #addRule(isAllowed: boolean, value: string): void {
    this.#isAfterName = false
    const rule = toRule(isAllowed, value)
    if (!rule || this.#current.size === 0 || this.#rulesLeft === 0) return
    this.#rulesLeft--
    for (const group of this.#current) group.rules.push(rule)
  }

  /**
   * The RFC does not know it, but sites write it as part of a group. A file with a delay for all and then
   * a group that forbids another robot everything would otherwise forbid it to all.
   */
  #setCrawlDelay(value: string): void {
    this.#isAfterName = false
    if (!/^\d{1,9}(?:\.\d{1,9})?$|^\.\d{1,9}$/.test(value)) return
    const delayMs = Math.min(Math.ceil(Number(value) * 1_000), crawlDelayMsMax)
    for (const group of this.#current) group.crawlDelayMs = Math.max(group.crawlDelayMs, delayMs)
  }

  #addSitemap(value: string): void {
    if (value === '' || value.length > urlCharactersMax) return
    if (this.#sitemaps.length < sitemapsMax) this.#sitemaps.push(value)
  }
}

/** Undefined for an empty pattern, which forbids nothing, and for one that matches no URL. */
function toRule(isAllowed: boolean, value: string): RobotsRule | undefined {
  if (!/^[/*]/.test(value)) return undefined
  const isWhole = value.endsWith('$')
  const pattern = collapseStars(comparable(encodePattern(isWhole ? value.slice(0, -1) : value)))
  // No URL is that long. There are at most as many stars as other characters, and one.
  if (pattern.length > 2 * urlCharactersMax + 1) return undefined
  return { isAllowed, pattern, head: pattern.split('*', 1)[0] ?? '', isWhole }
}

/**
 * A path with its query, or a pattern for one, in the spelling in which the two are compared. In a query
 * `:` and `/` mean the same escaped or not, as the example of RFC 9309, 2.2.2 has it.
 */
function comparable(path: string): string {
  const normal = normalizeEscapes(path)
  const query = normal.indexOf('?')
  if (query < 0 || !normal.includes('%', query)) return normal
  return normal.slice(0, query) + normal.slice(query).replace(/%3A/g, ':').replace(/%2F/g, '/')
}

/** The most specific pattern decides, which is the longest, and `allow` where two are equally long. */
const byPrecedence = (one: RobotsRule, other: RobotsRule): number =>
  lengthOf(other) - lengthOf(one) || Number(other.isAllowed) - Number(one.isAllowed)

const lengthOf = ({ pattern, isWhole }: RobotsRule): number => pattern.length + Number(isWhole)

/** Lines may end with CR, LF or both. A line that the limit cut is left out: `/private` cut to `/` forbids all. */
function wholeLines(bytes: Uint8Array): string[] {
  const text = new TextDecoder().decode(bytes.subarray(0, robotsBytesMax))
  const lines = text.split(/\r\n?|\n/)
  if (bytes.length > robotsBytesMax) lines.pop()
  return lines
}
