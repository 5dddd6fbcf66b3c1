import type {
  CrawlOrigin,
  EngineRequest,
  ExtractOrder,
  ScrapeRequest,
} from '../scrape/scrape-request.ts'
import { siteHost, sitePort } from './site-host.ts'

/** The request of the first page of a crawl; every other page differs in its URL and where it was found. */
export interface SeedRequest extends EngineRequest {
  extract: ExtractOrder
}

/**
 * The request of a page that a crawl has found. What the caller gave for the site of the seed page may be
 * secret: headers, cookies, what is stored or typed there. As with redirects, another origin does not get
 * it; https on the same host does.
 */
export function pageRequest(
  { extract, ...seed }: SeedRequest,
  url: string,
  crawl: CrawlOrigin,
): ScrapeRequest {
  const purpose = { kind: 'crawl' as const, extract, crawl }
  if (isForSameSite(new URL(seed.url), new URL(url))) return { ...seed, url, purpose }
  const { target, ...others } = seed
  const options = { ...seed.options, cookies: [], localStorage: {}, js_scenario: { actions: [] } }
  return { ...others, url, forwardedHeaders: {}, options, purpose }
}

const isForSameSite = (seed: URL, url: URL): boolean => {
  const isSecured = seed.protocol === 'http:' && url.protocol === 'https:'
  if (!isSecured) return seed.origin === url.origin
  return siteHost(seed) === siteHost(url) && sitePort(seed) === sitePort(url)
}
