import { parseHttpUrl } from './canonical-url.ts'
import { encodePattern, normalizeEscapes } from './percent-encoding.ts'
import { isWithinDomain, siteHost, sitePort } from './site-host.ts'
import { collapseStars, matchesWildcards } from './wildcard-match.ts'

export interface CrawlScopeOptions {
  seedUrl: string
  sameDomainOnly: boolean
  includeSubdomains: boolean
  /** Globs on the path; none means all paths. */
  includePaths: readonly string[]
  /** Globs on the path; they win over `includePaths`. */
  excludePaths: readonly string[]
}

/**
 * Where a crawl may go. The seed page is exempt from the globs; a redirect is judged by the site alone,
 * as its page was chosen by the globs before.
 */
export class CrawlScope {
  readonly #isSameSite: (url: URL) => boolean
  readonly #includePaths: readonly string[]
  readonly #excludePaths: readonly string[]

  constructor(options: CrawlScopeOptions) {
    this.#isSameSite = options.sameDomainOnly ? sameSiteAs(options) : () => true
    this.#includePaths = options.includePaths.map(toPathGlob)
    this.#excludePaths = options.excludePaths.map(toPathGlob)
  }

  /** Whether the URL lies on a site of the crawl, whatever its path. */
  isOnSite(url: string | URL): boolean {
    const parsed = parseHttpUrl(url)
    return parsed !== undefined && this.#isSameSite(parsed)
  }

  /** Whether the crawl follows a link to the URL. */
  isFollowed(url: string | URL): boolean {
    const parsed = parseHttpUrl(url)
    if (!parsed || !this.#isSameSite(parsed)) return false
    const path = normalizeEscapes(parsed.pathname)
    const isMatched = (glob: string): boolean => matchesWildcards(glob, path, true)
    if (this.#includePaths.length > 0 && !this.#includePaths.some(isMatched)) return false
    return !this.#excludePaths.some(isMatched)
  }
}

function sameSiteAs({ seedUrl, includeSubdomains }: CrawlScopeOptions): (url: URL) => boolean {
  const seed = new URL(seedUrl)
  const host = siteHost(seed)
  const port = sitePort(seed)
  return (url) => {
    if (sitePort(url) !== port) return false
    const other = siteHost(url)
    return includeSubdomains ? isWithinDomain(other, host) : other === host
  }
}

/**
 * A glob is compared with the whole path, without the query, and case matters. `*` stands for any run of
 * characters, slashes too, and everything else for itself. A glob without a slash in front gets one, as
 * every path begins with it.
 */
function toPathGlob(glob: string): string {
  const encoded = collapseStars(encodePattern(glob.trim()))
  return /^[/*]/.test(encoded) ? encoded : `/${encoded}`
}
