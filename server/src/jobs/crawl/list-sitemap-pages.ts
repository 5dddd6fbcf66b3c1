import { CrawlScope } from '../../domain/crawl/crawl-scope.ts'
import { Failure } from '../../domain/failure.ts'
import type { JobView } from '../../storage/tables/jobs.ts'
import { type DocumentFetcher, decodedChunks } from '../sitemaps/fetch-document.ts'
import { walkSitemaps } from '../sitemaps/walk-sitemaps.ts'

/** A crawl goes on with what was found by then. */
const sitemapsMsMax = 60_000

/** The pages that the sitemaps of the seed page's site name, as far as the crawl may follow them. */
export async function listSitemapPages(
  fetchDocument: DocumentFetcher,
  { accountId, request: { crawl: plan } }: JobView,
  { countMax, signal: stopping }: { countMax: number; signal: AbortSignal },
): Promise<string[]> {
  if (!plan) return []
  const like = { ...plan.seed, accountId }
  const scope = new CrawlScope({ ...plan, seedUrl: plan.seed.url })
  const signal = AbortSignal.any([AbortSignal.timeout(sitemapsMsMax), stopping])
  const pages = new Set<string>()
  for await (const { urls } of walkSitemaps({
    accountId,
    origins: [new URL(plan.seed.url).origin],
    fetchBytes,
    chooseUrl: (url) => (scope.isFollowed(url) ? url : undefined),
    isOnSite: (url) => scope.isOnSite(url),
    urlsMax: countMax,
    signal,
  })) {
    for (const url of urls) if (pages.size < countMax) pages.add(url)
    if (pages.size >= countMax || signal.aborted) break
  }
  return [...pages]

  async function fetchBytes(url: string, ended: AbortSignal) {
    const fetched = await fetchDocument(like, url, ended)
    if (!fetched) return new Failure('TARGET_UNREACHABLE', 'There was no response.')
    return {
      status: fetched.status,
      finalUrl: fetched.url,
      contentType: fetched.headers['content-type'],
      chunks: decodedChunks(fetched),
    }
  }
}
