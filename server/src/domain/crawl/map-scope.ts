import { foldCase } from '../url-part.ts'
import { canonicalUrl, parseHttpUrl } from './canonical-url.ts'
import { normalizeEscapes } from './percent-encoding.ts'
import { isAddress, isWithinDomain, registrableDomain, siteHost, sitePort } from './site-host.ts'

export interface MapScopeOptions {
  seedUrl: string
  includeSubdomains: boolean
  ignoreQueryParameters: boolean
  search?: string | undefined
}

/** Subdomains that often have a sitemap of their own, which the main site does not name. */
const usualSubdomains = ['docs', 'blog', 'help', 'support']

/**
 * What a map lists: the seed's host and what lies under the seed's path, or with `includeSubdomains` the
 * whole registrable domain, since the paths of other hosts have nothing to do with the seed's.
 */
export class MapScope {
  readonly #seed: URL
  readonly #domain: string
  readonly #path: string
  readonly #options: MapScopeOptions
  readonly #search: string

  constructor(options: MapScopeOptions) {
    this.#options = options
    this.#seed = new URL(options.seedUrl)
    const host = siteHost(this.#seed)
    this.#domain = options.includeSubdomains ? registrableDomain(host) : host
    this.#path = options.includeSubdomains ? '' : directoryOf(this.#seed)
    this.#search = foldCase(options.search?.trim() ?? '')
  }

  /** The origins whose robots.txt and sitemaps are read, the seed's first. */
  get sitemapOrigins(): string[] {
    const { origin, protocol, port } = this.#seed
    if (!this.#options.includeSubdomains || isAddress(this.#domain)) return [origin]
    const others = usualSubdomains.map((name) => {
      const authority = port === '' ? '' : `:${port}`
      return `${protocol}//${name}.${this.#domain}${authority}`
    })
    return [...new Set([origin, ...others])]
  }

  /** Whether the URL lies on a host of the map, whatever its path. */
  hasHost(url: string | URL): boolean {
    const parsed = parseHttpUrl(url)
    return parsed !== undefined && this.#isOnHost(parsed)
  }

  /** The URL as the map lists it; undefined where it does not. */
  findListed(url: string | URL): string | undefined {
    const parsed = parseHttpUrl(url)
    if (!parsed || !this.#isOnHost(parsed) || !this.#isUnderPath(parsed)) return undefined
    if (this.#options.ignoreQueryParameters) parsed.search = ''
    const listed = canonicalUrl(parsed)
    return listed !== undefined && this.#isSearchedFor(listed) ? listed : undefined
  }

  #isOnHost(url: URL): boolean {
    if (sitePort(url) !== sitePort(this.#seed)) return false
    const host = siteHost(url)
    return this.#options.includeSubdomains
      ? isWithinDomain(host, this.#domain)
      : host === this.#domain
  }

  /** Segment by segment: `/docs` covers `/docs` and `/docs/x`, but not `/docs2`. */
  #isUnderPath({ pathname }: URL): boolean {
    return this.#path === '' || `${normalizeEscapes(pathname)}/`.startsWith(`${this.#path}/`)
  }

  #isSearchedFor(url: string): boolean {
    if (this.#search === '' || foldCase(url).includes(this.#search)) return true
    return url.includes('%') && foldCase(readable(url)).includes(this.#search)
  }
}

const directoryOf = ({ pathname }: URL): string => normalizeEscapes(pathname).replace(/\/$/, '')

/** The URL as people write it, so that a search for `café` finds `caf%C3%A9`. */
function readable(url: string): string {
  try {
    return decodeURI(url)
  } catch {
    // Escapes that are not UTF-8 have no readable form.
    return url
  }
}
