import { urlCharactersMax } from './canonical-url.ts'
import { comparablePath, escapePattern } from './percent-encoding.ts'
import type { RobotsRule, RobotsRules } from './robots-rules.ts'
import { collapseStars } from './wildcard-match.ts'

/** The name by which robots.txt and `X-Robots-Tag` address this service. */
export const robotsName = 'trawl'

/** What the RFC asks to be read at least; the rest is ignored. */
export const robotsBytesMax = 500 * 1024
const rulesMax = 10_000
const sitemapsMax = 1_000
const crawlDelayMsMax = 30_000

/** A line is some work however short it is; this many characters of lines are a small piece of work. */
const lineCharacters = 64
const pieceCharacters = 4_096

/**
 * Reads robots.txt by RFC 9309. robots-parser does not compare escapes as the RFC's examples do, lets a
 * `sitemap` line end a group and took 20 s for one URL with hostile patterns, so this is our own.
 * It yields after each small piece of work: a hostile file takes tens of milliseconds.
 */
export function* parseRobots(bytes: Uint8Array): Generator<undefined, RobotsRules> {
  const reader = new RobotsReader()
  let characters = 0
  for (const line of wholeLines(bytes)) {
    const [, key, value] = /^\s*([a-z-]+)\s*:(.*)$/is.exec(line.split('#', 1)[0] ?? '') ?? []
    if (key !== undefined && value !== undefined) reader.read(key.toLowerCase(), value.trim())
    characters += lineCharacters + line.length
    if (characters < pieceCharacters) continue
    characters = 0
    yield
  }
  yield
  return reader.rules
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
      rules: inPrecedence(group?.rules ?? []),
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
    // Asked first, since converting a pattern is most of the work.
    if (this.#current.size === 0 || this.#rulesLeft === 0) return
    const rule = toRule(isAllowed, value)
    if (!rule) return
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
    if (this.#sitemaps.length < sitemapsMax) this.#sitemaps.push(copyOf(value))
  }
}

/** A string of its own: V8 makes a part of a text keep the whole text, and rules are kept for a day. */
const copyOf = (part: string): string => Buffer.from(part).toString()

/** No URL is that long. There are at most as many stars as other characters, and one. */
const patternCharactersMax = 2 * urlCharactersMax + 1

/** Undefined for an empty pattern, which forbids nothing, and for one that matches no URL. */
function toRule(isAllowed: boolean, value: string): RobotsRule | undefined {
  if (!/^[/*]/.test(value)) return undefined
  const isWhole = value.endsWith('$')
  const written = collapseStars(isWhole ? value.slice(0, -1) : value)
  // Before it is converted, which takes long for a long one.
  if (written.length > patternCharactersMax) return undefined
  const pattern = copyOf(escapePattern(comparablePath(written)))
  if (pattern.length > patternCharactersMax) return undefined
  return { isAllowed, pattern, head: pattern.split('*', 1)[0] ?? '', isWhole }
}

/**
 * The most specific pattern decides, which is the longest, and `allow` where two are equally long. Thousands of
 * rules have few lengths, and only those are sorted.
 */
function inPrecedence(rules: readonly RobotsRule[]): RobotsRule[] {
  const ranks = Map.groupBy(rules, rankOf)
  return [...ranks.keys()]
    .sort((one, other) => other - one)
    .flatMap((rank) => ranks.get(rank) ?? [])
}

const rankOf = ({ pattern, isWhole, isAllowed }: RobotsRule): number =>
  2 * (pattern.length + Number(isWhole)) + Number(isAllowed)

/**
 * The lines that are not empty, one after the other. They may end with CR, LF or both. A line that the limit cut
 * is left out: `/private` cut to `/` forbids all.
 */
function* wholeLines(bytes: Uint8Array): Generator<string> {
  const text = new TextDecoder().decode(bytes.subarray(0, robotsBytesMax))
  const isCut = bytes.length > robotsBytesMax
  const ends = /[\r\n]+/g
  let start = 0
  for (let end = ends.exec(text); end; end = ends.exec(text)) {
    if (end.index > start) yield text.slice(start, end.index)
    start = ends.lastIndex
  }
  if (!isCut && start < text.length) yield text.slice(start)
}
