import { canonicalUrl } from '../../domain/crawl/canonical-url.ts'
import { parseRobots, robotsBytesMax } from '../../domain/crawl/parse-robots.ts'
import { Failure } from '../../domain/failure.ts'
import { parseUrl } from '../../domain/parse-url.ts'
import { readSitemap } from '../../formats/sitemap/sitemap.ts'
import { mapInTurns, runInTurns, Turns } from '../../runtime/sharing/turns.ts'
import {
  type FetchBytes,
  type FetchedBytes,
  fetchAndRead,
  isOk,
  readUpTo,
} from './fetched-bytes.ts'

export interface SitemapWalk {
  /** Whose crawl or map it is for: long works of one account share its turns. */
  accountId: string
  /** Whose robots.txt and `/sitemap.xml` are read, in this order; all but the first are guesses. */
  origins: readonly string[]
  fetchBytes: FetchBytes
  /** The URL as the caller wants it; undefined where it does not. */
  chooseUrl: (url: string) => string | undefined
  /** Whether a URL lies on a host that the caller asked about. */
  isOnSite: (url: string) => boolean
  /** At most this many URLs of one sitemap. */
  urlsMax: number
  signal: AbortSignal
}

/** What one sitemap gave. */
export interface ReadSitemap {
  /** Each once, in the order of the sitemap. */
  urls: Set<string>
  /** Links are missing: it failed, was broken or too large, or the signal ended it. */
  isCut: boolean
}

export const sitemapsMax = 1_000
/** Of one sitemap, and of all links in all: long URLs would fill the memory long before there are many. */
export const urlCharactersMax = 16 * 2 ** 20
const depthMax = 5
const atOnceMax = 4
/** Of other hosts a robots.txt may name a few: more would make us a tool to flood them. */
const foreignSitemapsMax = 10

/**
 * The sitemaps of some sites, each once, level by level: those that robots.txt names and `/sitemap.xml`
 * first, then those that these name, and so on. The order does not depend on which is read first.
 */
export async function* walkSitemaps(walk: SitemapWalk): AsyncGenerator<ReadSitemap> {
  const known = new Set<string>()
  let level: ExpectedSitemap[] = []
  for await (const robots of inOrder(walk.origins, (origin) => readRobots(walk, origin))) {
    for (const sitemap of robots.sitemaps) if (isNew(sitemap.url, known)) level.push(sitemap)
    if (robots.isLost) yield { urls: new Set(), isCut: true }
  }
  for (let depth = 1; depth <= depthMax && level.length > 0; depth++) {
    const next: ExpectedSitemap[] = []
    for await (const { urls, isCut, sitemaps } of inOrder(level, (one) => readOne(walk, one))) {
      for (const url of sitemaps) if (isNew(url, known)) next.push({ url, expected: 'named' })
      yield { urls, isCut }
    }
    level = next
  }
}

/** Who expects a document: robots.txt or a sitemap names it, sites usually have it, or we only guess. */
type Expected = 'named' | 'usual' | 'guessed'

interface ExpectedSitemap {
  url: string
  expected: Expected
}

/** Whether links are missing since there was no such document; `end` is a failure or an error status. */
function isLoss(expected: Expected, end: Failure | number): boolean {
  const isOutage = end instanceof Failure || end === 429 || end >= 500
  return expected === 'named' || (expected === 'usual' && isOutage)
}

/** A sitemap that robots.txt names may lie on any host, as the protocol allows. */
async function readRobots(walk: SitemapWalk, origin: string) {
  const expected: Expected = origin === walk.origins[0] ? 'usual' : 'guessed'
  const named = await fetchAndRead(
    walk.fetchBytes,
    { url: `${origin}/robots.txt`, signal: walk.signal },
    async (response) => {
      if (!isOk(response)) return response.status
      const bytes = await readUpTo(response.chunks, robotsBytesMax)
      return (await runInTurns(parseRobots(bytes), walk.accountId)).sitemaps
    },
  )
  const isMissing = named instanceof Failure || typeof named === 'number'
  let foreignLeft = foreignSitemapsMax
  const choose = (reference: string): string | undefined => {
    const url = resolve(reference, `${origin}/`)
    return url !== undefined && (walk.isOnSite(url) || foreignLeft-- > 0) ? url : undefined
  }
  const chosen = await mapInTurns(isMissing ? [] : named, choose, walk.accountId)
  const urls = chosen.filter((url) => url !== undefined)
  const sitemaps: ExpectedSitemap[] = [
    ...urls.map((url) => ({ url, expected: 'named' as const })),
    { url: `${origin}/sitemap.xml`, expected },
  ]
  return { sitemaps, isLost: isMissing && isLoss(expected, named) }
}

interface OneSitemap extends ReadSitemap {
  sitemaps: string[]
}

async function readOne(walk: SitemapWalk, { url, expected }: ExpectedSitemap): Promise<OneSitemap> {
  const found: OneSitemap = { urls: new Set(), isCut: false, sitemaps: [] }
  if (walk.signal.aborted) return { ...found, isCut: true }
  const isTrusted = (other: string): boolean => walk.isOnSite(other) || isSameHost(other, url)
  const end = await fetchAndRead(
    walk.fetchBytes,
    { url, signal: walk.signal },
    async (response) => {
      if (!isOk(response)) return !isLoss(expected, response.status)
      // Following every redirect and index anywhere would make us a tool to flood other sites.
      if (!isTrusted(response.finalUrl)) return true
      const isComplete = await collect(response, { ...found, isTrusted, walk })
      // A page in the place of a sitemap that nobody named is nothing to speak of.
      return isComplete || (isEmpty(found) && expected !== 'named')
    },
  )
  const isLost = end instanceof Failure ? !isEmpty(found) || isLoss(expected, end) : !end
  found.isCut = walk.signal.aborted || isLost
  return found
}

const isEmpty = ({ urls, sitemaps }: OneSitemap): boolean => urls.size + sitemaps.length === 0

interface Collection {
  urls: Set<string>
  sitemaps: string[]
  isTrusted: (url: string) => boolean
  walk: SitemapWalk
}

/** Whether the sitemap was read to its end. In turns, as long URLs take as long to choose as to read. */
async function collect(response: FetchedBytes, into: Collection): Promise<boolean> {
  const turns = new Turns(into.walk.accountId)
  const entries = readSitemap(response.chunks, turns)
  let characters = 0
  for (;;) {
    if (turns.isOver) await turns.next()
    const { done, value } = await entries.next()
    if (done) return value.isComplete
    const url = resolve(value.url, response.finalUrl)
    if (url === undefined) continue
    if (value.kind === 'page') {
      const chosen = into.walk.chooseUrl(url)
      if (chosen !== undefined && !into.urls.has(chosen)) {
        into.urls.add(chosen)
        characters += chosen.length
      }
    } else if (into.sitemaps.length < sitemapsMax && into.isTrusted(url)) into.sitemaps.push(url)
    if (into.urls.size < into.walk.urlsMax && characters <= urlCharactersMax) continue
    await entries.return({ isComplete: false })
    return false
  }
}

const resolve = (reference: string, base: string): string | undefined => {
  const url = parseUrl(reference, base)
  return url ? canonicalUrl(url) : undefined
}

const isSameHost = (one: string, other: string): boolean =>
  parseUrl(one)?.host === parseUrl(other)?.host

function isNew(url: string, known: Set<string>): boolean {
  if (known.has(url) || known.size >= sitemapsMax) return false
  known.add(url)
  return true
}

/**
 * The results of the items in their order, a few at once. An item begins only when it is among the next
 * few to be taken, so that results do not pile up behind a slow one.
 */
async function* inOrder<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = []
  for (const item of items) {
    const result = act(item)
    // It is awaited in its turn; until then an error must not count as unhandled.
    result.catch(() => {})
    running.push(result)
    const first = running.length === atOnceMax ? running.shift() : undefined
    if (first) yield await first
  }
  for (const result of running) yield await result
}
