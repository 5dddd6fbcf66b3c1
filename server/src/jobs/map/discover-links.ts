import { MapScope, type MapScopeOptions } from '../../domain/crawl/map-scope.ts'
import { Failure } from '../../domain/failure.ts'
import { Turns } from '../../runtime/sharing/turns.ts'
import { type FetchBytes, fetchAndRead, orAborted, readUpTo } from '../sitemaps/fetched-bytes.ts'
import { urlCharactersMax, walkSitemaps } from '../sitemaps/walk-sitemaps.ts'

interface DiscoveredLink {
  url: string
  source: 'sitemap' | 'html'
}

export interface DiscoveryParts {
  /** Whose map it is: long works of one account share its turns. */
  accountId: string
  fetchBytes: FetchBytes
  /** The links of a page, absolute; none where it is no page. It may run in a thread. */
  listLinks: (page: SeedPage) => Promise<readonly string[]>
}

export interface SeedPage {
  body: Uint8Array
  contentType: string | undefined
  /** After redirects, so that relative links can be resolved. */
  url: string
}

export const discoveredLinksMax = 100_000
const pageBytesMax = 10 * 2 ** 20

const warnings = {
  timedOut: 'Discovery ran out of time; these are the links found until then.',
  cut: 'Some sitemaps could not be read, are broken or too large; their links may be missing.',
}

/** What the seed page gave. */
interface SeedLinks {
  status: number
  links: readonly string[]
}

/** Why links of the seed page may be missing. */
function warningOf(page: SeedLinks | Failure): string | null {
  if (page instanceof Failure)
    return `The page could not be read (${page.code}); its links are missing.`
  if (page.status < 400) return null
  return `The page answered with status ${page.status}; its links may be missing.`
}

/**
 * Lists the URLs of a site from its sitemaps and the links of the seed page, each once and in this order.
 * `signal` is the time limit: what was found until then is the result. A URL that both name counts as from a sitemap. Throws the
 * failure of the seed page, unless the sitemaps gave something: they may lie on other hosts, and a site
 * whose start page is broken still has pages.
 */
export async function discoverLinks(
  options: MapScopeOptions,
  { accountId, fetchBytes, listLinks }: DiscoveryParts,
  signal: AbortSignal,
): Promise<Discovery> {
  const scope = new MapScope(options)
  const ended = new AbortController()
  const either = AbortSignal.any([signal, ended.signal])
  const fromPage = readSeedPage({ fetchBytes, listLinks }, options.seedUrl, either)
  // It is awaited after the sitemaps; until then an error must not count as unhandled.
  fromPage.catch(() => {})
  const found = new FoundUrls()
  let isCut = false
  try {
    for await (const sitemap of walkSitemaps({
      accountId,
      origins: scope.sitemapOrigins,
      fetchBytes,
      chooseUrl: (url) => scope.findListed(url),
      isOnSite: (url) => scope.hasHost(url),
      urlsMax: discoveredLinksMax + 1,
      signal: either,
    })) {
      isCut ||= sitemap.isCut
      found.add(sitemap.urls, 'sitemap')
      if (found.isFull) ended.abort()
      if (either.aborted) break
    }
    const page = await fromPage
    if (!(page instanceof Failure)) {
      found.add(await listedOf(page.links, scope, accountId), 'html')
    } else if (found.links.length === 0 && !signal.aborted) throw page
    const missing = [warningOf(page), isCut ? warnings.cut : null].filter((one) => one !== null)
    return toDiscovery(found, { missing, isTimedOut: signal.aborted })
  } finally {
    ended.abort()
  }
}

/** In turns, as a page of 10 MiB may have hundreds of thousands of links. */
async function listedOf(
  links: readonly string[],
  scope: MapScope,
  accountId: string,
): Promise<string[]> {
  const turns = new Turns(accountId)
  const listed: string[] = []
  for (const link of links) {
    const url = scope.findListed(link)
    if (url !== undefined) listed.push(url)
    if (turns.isOver) await turns.next()
  }
  return listed
}

export type Discovery = ReturnType<typeof toDiscovery>

/** At a limit nothing more is read, which then explains whatever is missing. */
function toDiscovery(
  { links, isFull }: FoundUrls,
  { missing, isTimedOut }: { missing: string[]; isTimedOut: boolean },
) {
  const full = `Only the first ${links.length} links are listed.`
  const warning = isFull ? full : isTimedOut ? warnings.timedOut : missing.join(' ')
  return { links, warning: warning || null, isTimedOut }
}

/** The links found so far, up to their maximum in number and in characters. */
class FoundUrls {
  readonly #links = new Map<string, DiscoveredLink>()
  #characters = 0
  /** There are more than can be listed. */
  isFull = false

  get links(): DiscoveredLink[] {
    return [...this.#links.values()]
  }

  add(urls: Iterable<string>, source: DiscoveredLink['source']): void {
    for (const url of urls) {
      if (this.#links.has(url)) continue
      this.#characters += url.length
      this.isFull = this.#links.size === discoveredLinksMax || this.#characters > urlCharactersMax
      if (this.isFull) return
      this.#links.set(url, { url, source })
    }
  }
}

/** The links of the seed page, whatever its status: the navigation of an error page is the site's too. */
async function readSeedPage(
  { fetchBytes, listLinks }: Omit<DiscoveryParts, 'accountId'>,
  url: string,
  signal: AbortSignal,
): Promise<SeedLinks | Failure> {
  return await fetchAndRead(
    fetchBytes,
    { url, signal },
    async ({ status, chunks, contentType, finalUrl }) => {
      const body = await readUpTo(chunks, pageBytesMax)
      if (signal.aborted) return { status, links: [] }
      const listing = listLinks({ body, contentType, url: finalUrl })
      return { status, links: (await orAborted(listing, signal)) ?? [] }
    },
  )
}
