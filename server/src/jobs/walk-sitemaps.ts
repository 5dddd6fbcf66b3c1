import { canonicalUrl } from '../domain/crawl/canonical-url.ts'
import { parseRobots, robotsBytesMax } from '../domain/crawl/robots-rules.ts'
import { Failure } from '../domain/failure.ts'
import { readSitemap } from '../formats/sitemap.ts'
import {
  type FetchBytes,
  type FetchedBytes,
  fetchAndRead,
  isOk,
  readUpTo,
} from './fetched-bytes.ts'

export interface SitemapWalk {
  /** Whose robots.txt and `/sitemap.xml` are read, in this order. */
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
  /** It was broken or too large, or the signal ended it. */
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
  let level = await listRoots(walk, known)
  for (let depth = 1; depth <= depthMax && level.length > 0; depth++) {
    const next: string[] = []
    for await (const { urls, isCut, sitemaps } of inOrder(level, (url) => readOne(walk, url))) {
      for (const url of sitemaps) if (isNew(url, known)) next.push(url)
      yield { urls, isCut }
    }
    level = next
  }
}

async function listRoots(walk: SitemapWalk, known: Set<string>): Promise<string[]> {
  const roots: string[] = []
  for await (const urls of inOrder(walk.origins, (origin) => readRobots(walk, origin))) {
    for (const url of urls) if (isNew(url, known)) roots.push(url)
  }
  return roots
}

/** A sitemap that robots.txt names may lie on any host, as the protocol allows. */
async function readRobots(walk: SitemapWalk, origin: string): Promise<string[]> {
  const named = await fetchAndRead(
    walk.fetchBytes,
    { url: `${origin}/robots.txt`, signal: walk.signal },
    async (response) => {
      if (!isOk(response)) return []
      return parseRobots(await readUpTo(response.chunks, robotsBytesMax)).sitemaps
    },
  )
  const urls = named instanceof Failure ? [] : named.map((url) => resolve(url, `${origin}/`))
  let foreignLeft = foreignSitemapsMax
  return [...urls, `${origin}/sitemap.xml`].filter(
    (url) => url !== undefined && (walk.isOnSite(url) || foreignLeft-- > 0),
  ) as string[]
}

interface OneSitemap extends ReadSitemap {
  sitemaps: string[]
}

async function readOne(walk: SitemapWalk, url: string): Promise<OneSitemap> {
  const found: OneSitemap = { urls: new Set(), isCut: false, sitemaps: [] }
  if (walk.signal.aborted) return { ...found, isCut: true }
  const isTrusted = (other: string): boolean => walk.isOnSite(other) || isSameHost(other, url)
  const end = await fetchAndRead(
    walk.fetchBytes,
    { url, signal: walk.signal },
    async (response) => {
      // Following every redirect and index anywhere would make us a tool to flood other sites.
      if (!isOk(response) || !isTrusted(response.finalUrl)) return true
      return await collect(response, { ...found, isTrusted, walk })
    },
  )
  const isEmpty = found.urls.size === 0 && found.sitemaps.length === 0
  // A sitemap that is not there, or a page in its place, is nothing to speak of.
  found.isCut = walk.signal.aborted || (!isEmpty && end !== true)
  return found
}

interface Collection {
  urls: Set<string>
  sitemaps: string[]
  isTrusted: (url: string) => boolean
  walk: SitemapWalk
}

/** Whether the sitemap was read to its end. */
async function collect(response: FetchedBytes, into: Collection): Promise<boolean> {
  const entries = readSitemap(response.chunks)
  let characters = 0
  for (;;) {
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
  const url = URL.parse(reference, base)
  return url ? canonicalUrl(url) : undefined
}

const isSameHost = (one: string, other: string): boolean =>
  URL.parse(one)?.host === URL.parse(other)?.host

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
