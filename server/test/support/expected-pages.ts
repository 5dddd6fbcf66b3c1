import type { TrapPage } from './trap-page.ts'
import type { TrapSitePages } from './trap-site-pages.ts'

/** A page that a crawl must report. */
export interface ExpectedPage {
  url: string
  /** The least number of links from the seed, whose depth is 1. */
  depth: number
  /** Pages of the level before that link to it; empty for the seed. */
  parents: string[]
  status: 'completed' | 'failed'
  /** The fine code of a failed page. */
  reason: string | null
  /** The HTTP status of a completed page. */
  httpStatus: number | null
  /** Every URL that is requested for it: its own, and those it redirects to. */
  requested: string[]
  /** How often each of these is, every time that the page is tried. */
  requestedTimes: number
}

export interface ExpectedCrawl {
  /** In breadth-first order. */
  pages: ExpectedPage[]
  /** How many pages the crawl admits: less than those listed where the limit cuts the last level. */
  total: number
  /** Pages up to this depth are all admitted; of the level below, any that fill the limit. */
  completeDepth: number
}

export interface TrapCrawlRules {
  depth: number
  limit?: number
  respectRobots?: boolean
  /** Links that the sitemaps list count as links of the seed page. */
  useSitemaps?: boolean
  /** Whether `X-Robots-Tag: nofollow` counts as the meta element does. */
  obeysNofollowHeader?: boolean
  /** Stands for `include_paths` and `exclude_paths`. */
  admitsPath?: (path: string) => boolean
}

interface Found {
  url: string
  parents: Set<string>
}

/** What a crawl of the trap site must fetch, read off the graph level by level. */
export function expectPages(world: TrapSitePages, rules: TrapCrawlRules): ExpectedCrawl {
  const limit = rules.limit ?? Number.POSITIVE_INFINITY
  const seen = new Set([world.seedUrl])
  const pages: ExpectedPage[] = []
  let level: Found[] = [{ url: world.seedUrl, parents: new Set() }]
  for (let depth = 1; depth <= rules.depth && level.length > 0; depth += 1) {
    const room = limit - pages.length
    const visits = level.map((found) => ({ found, ...visit(world, found.url) }))
    for (const { found, end, failure, requested } of visits) {
      pages.push({
        url: found.url,
        depth,
        parents: [...found.parents],
        status: failure === null ? 'completed' : 'failed',
        reason: failure,
        httpStatus: failure === null ? (world.findPage(end)?.status ?? 404) : null,
        requested,
        requestedTimes: failure === 'TOO_MANY_REDIRECTS' ? redirectsMax : 1,
      })
    }
    if (level.length >= room) {
      return { pages, total: limit, completeDepth: level.length > room ? depth - 1 : depth }
    }
    level = nextLevel(world, rules, { visits, seen })
  }
  return { pages, total: pages.length, completeDepth: rules.depth }
}

// Of a redirect loop, the service follows this many before it gives up.
const redirectsMax = 10

interface Visit {
  found: Found
  /** Where the redirects end. */
  end: string
  failure: string | null
  requested: string[]
}

/** Follows redirects: they are judged by their end and by nothing on the way. */
function visit(world: TrapSitePages, url: string): Omit<Visit, 'found'> {
  const requested: string[] = []
  let at = url
  for (;;) {
    const page = world.findPage(at)
    if (isPrivate(at)) return { end: at, failure: 'URL_NOT_ALLOWED', requested }
    if (page?.failure) return { end: at, failure: page.failure, requested }
    if (requested.includes(at)) return { end: at, failure: 'TOO_MANY_REDIRECTS', requested }
    requested.push(at)
    if (page?.redirectsTo === undefined) {
      return { end: at, failure: isInScope(world, at) ? null : 'OUT_OF_SCOPE', requested }
    }
    at = page.redirectsTo
  }
}

/** The unseen pages that a level links to. `seen` learns them, and the ends of redirects. */
function nextLevel(
  world: TrapSitePages,
  rules: TrapCrawlRules,
  { visits, seen }: { visits: Visit[]; seen: Set<string> },
): Found[] {
  const followed = visits.filter(({ found, end, failure }) => {
    if (failure !== null) return false
    return end === found.url || !seen.has(end)
  })
  const ends = followed.filter(({ found, end }) => end !== found.url)
  const next = new Map<string, Found>()
  for (const { found, end } of followed) {
    const isSeed = found.url === world.seedUrl
    const listed = isSeed && rules.useSitemaps ? world.sitemapUrls : []
    for (const to of [...linksOf(world.findPage(end), rules), ...listed]) {
      if (seen.has(to) || to === end || !isAdmitted(world, rules, to)) continue
      const target = next.get(to) ?? { url: to, parents: new Set() }
      next.set(to, target)
      target.parents.add(found.url)
    }
  }
  const racing = ends.find(({ end }) => next.has(end))
  // Whether the link or the redirect comes first would depend on the timing of the crawl.
  if (racing) throw new Error(`${racing.end} is linked to and redirected to on one level.`)
  for (const { end } of ends) seen.add(end)
  for (const url of next.keys()) seen.add(url)
  return [...next.values()]
}

function linksOf(page: TrapPage | undefined, rules: TrapCrawlRules): string[] {
  const { obeysNofollowHeader = true } = rules
  if (!page || page.nofollow === 'meta') return []
  if (page.nofollow === 'header' && obeysNofollowHeader) return []
  return page.links.filter(({ isNofollow }) => !isNofollow).map(({ to }) => to)
}

function isAdmitted(world: TrapSitePages, rules: TrapCrawlRules, url: string): boolean {
  const { respectRobots = true, admitsPath = () => true } = rules
  if (!isInScope(world, url)) return false
  if (respectRobots && world.findPage(url)?.isDisallowed) return false
  return admitsPath(new URL(url).pathname)
}

/** Host and port decide; http and https are alike. */
const isInScope = ({ origins: { main } }: TrapSitePages, url: string): boolean =>
  url.startsWith(`${main}/`) || url.startsWith(`${main.replace('http:', 'https:')}/`)

const isPrivate = (url: string): boolean => url.startsWith('http://10.')
