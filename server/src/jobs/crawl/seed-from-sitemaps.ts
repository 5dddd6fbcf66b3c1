import { CrawlScope } from '../../domain/crawl/crawl-scope.ts'
import type { CrawlPlan } from '../../domain/job/job.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import { Turns } from '../../runtime/sharing/turns.ts'
import type { Database } from '../../storage/database.ts'
import { addPages, type CrawlPage } from '../../storage/tables/crawl-pages.ts'
import type { JobView } from '../../storage/tables/jobs.ts'
import type { DocumentFetcher } from '../sitemaps/fetch-document.ts'
import { walkSitemaps } from '../sitemaps/walk-sitemaps.ts'
import { addressOf } from './frontier.ts'

export interface SeedingParts {
  db: Database
  sealer: Sealer
  fetchDocument: DocumentFetcher
  /** Waits for the site; rejects once the crawl is cancelled. */
  waitFor<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value>
}

/** A crawl goes on with what was found by then. */
const sitemapsMsMax = 60_000

/** Adds the pages that the site's sitemaps name; they count as links of the seed page, after its own. */
export async function seedFromSitemaps(
  { db, sealer, fetchDocument, waitFor }: SeedingParts,
  job: JobView,
  plan: CrawlPlan,
): Promise<void> {
  if (!plan.usesSitemaps || plan.depth < 2 || plan.limit < 2 || job.counts.completed < 1) return
  const { id: jobId, accountId } = job
  const urls = await waitFor((signal) => listPages(fetchDocument, { accountId, plan }, signal))
  const pages = new Map<string, CrawlPage>()
  const turns = new Turns(accountId)
  for (const [index, url] of urls.entries()) {
    if (turns.isOver) await turns.next()
    const address = addressOf(plan, url)
    if (!address || pages.has(address.key)) continue
    const place = { depth: 2, parentPosition: 0, linkIndex: plan.limit + index }
    pages.set(address.key, { ...address, jobId, accountId, ...place })
  }
  await db.transaction(await addPages(sealer, { found: [...pages.values()], ends: [] }))
}

/** As many pages as the crawl may have. */
async function listPages(
  fetchDocument: DocumentFetcher,
  { accountId, plan }: { accountId: string; plan: CrawlPlan },
  stopping: AbortSignal,
): Promise<string[]> {
  const like = { ...plan.seed, accountId }
  const scope = new CrawlScope({ ...plan, seedUrl: plan.seed.url })
  const signal = AbortSignal.any([AbortSignal.timeout(sitemapsMsMax), stopping])
  const pages = new Set<string>()
  for await (const { urls } of walkSitemaps({
    accountId,
    origins: [new URL(plan.seed.url).origin],
    fetchBytes: (url, ended) => fetchDocument(like, { url, signal: ended }),
    chooseUrl: (url) => (scope.isFollowed(url) ? url : undefined),
    isOnSite: (url) => scope.isOnSite(url),
    urlsMax: plan.limit,
    signal,
  })) {
    for (const url of urls) if (pages.size < plan.limit) pages.add(url)
    if (pages.size >= plan.limit || signal.aborted) break
  }
  return [...pages]
}
