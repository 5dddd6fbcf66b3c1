import type { MapScopeOptions } from '../../src/domain/crawl/map-scope.ts'
import { listLinks } from '../../src/formats/dom/links.ts'
import { parsePage } from '../../src/formats/dom/page-document.ts'
import { type Discovery, discoverLinks } from '../../src/jobs/map/discover-links.ts'
import { type MemoryPages, MemorySite } from './memory-site.ts'

export const seedUrl = 'https://shop.test/'

/** Maps a site in memory. */
export async function discover(
  site: MemoryPages | MemorySite,
  options: Partial<MapScopeOptions> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Discovery> {
  const { fetchBytes } = site instanceof MemorySite ? site : new MemorySite(site)
  return await discoverLinks(
    { seedUrl, includeSubdomains: false, ignoreQueryParameters: true, ...options },
    {
      accountId: 'ada',
      fetchBytes,
      listLinks: async ({ body, url }) => listLinks(parsePage(Buffer.from(body).toString(), url)),
    },
    signal,
  )
}

export const urlset = (...urls: string[]): string =>
  `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`
export const index = (...urls: string[]): string =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`
export const shown = ({ links }: Discovery): string[] =>
  links.map(({ url, source }) => `${source} ${url}`)
