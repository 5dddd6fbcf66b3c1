import { hash } from 'node:crypto'
import { canonicalUrl } from '../../domain/crawl/canonical-url.ts'
import { CrawlScope } from '../../domain/crawl/crawl-scope.ts'
import type { CrawlPlan } from '../../domain/job/job.ts'
import type { Task, TaskError } from '../../domain/task/task.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import { Turns } from '../../runtime/sharing/turns.ts'
import type { Database } from '../../storage/database.ts'
import { pauseHost } from '../../storage/tables/crawl-hosts.ts'
import {
  addPages,
  type CrawlPage,
  countFoundBefore,
  findPlace,
} from '../../storage/tables/crawl-pages.ts'
import { getJob, type JobView } from '../../storage/tables/jobs.ts'
import type { PageOfJob, ReadJobOfTask } from '../../tasks/job-of-task.ts'
import { hostOf, type Politeness, type UrlJudge } from './politeness.ts'
import { placesAt } from './room-at-host.ts'

export interface FrontierParts {
  db: Database
  sealer: Sealer
  politeness: Politeness
}

/** A page of a crawl that was fetched, at the end of its redirects. */
type PageOfCrawl = Pick<PageOfJob, 'url' | 'links'>

/** What identifies a page within its crawl; undefined for a URL that no crawl fetches. */
export function addressOf(
  { salt }: CrawlPlan,
  given: string,
): Pick<CrawlPage, 'key' | 'url'> | undefined {
  const url = canonicalUrl(given)
  return url === undefined ? undefined : { key: hash('sha256', `${salt}${url}`, 'base64url'), url }
}

/** What the end of an attempt at a page means for its crawl. */
export async function readCrawlOfPage(parts: FrontierParts, task: Task): ReturnType<ReadJobOfTask> {
  const { db, sealer, politeness } = parts
  const { accountId, request } = task
  const [job] = task.job ? await db.run(getJob(sealer, task.job.id)) : []
  if (!job) return { pauseMs: 0, endOfPage: async () => ({ error: undefined, statements: [] }) }
  const { accountMs, hostMs } = await politeness.pausesOf(job, request.url)
  const pauseMs = Math.max(accountMs, hostMs)

  return {
    pauseMs,
    async endOfPage(page) {
      const { host, ofAccount } = placesAt(hostOf(request.url), accountId)
      const pause = [
        ...(hostMs > 0 ? [pauseHost(host, db.nowMs() + hostMs)] : []),
        // Also where the host asks for it, so that the next turn is that of another account.
        ...(pauseMs > 0 ? [pauseHost(ofAccount, db.nowMs() + pauseMs)] : []),
      ]
      if (!page) return { error: undefined, statements: pause }
      const followed = await followPage(parts, job, { task, page })
      if (!followed) return { error: outOfScope, statements: pause }
      return { error: undefined, statements: [...pause, ...(await addPages(sealer, followed))] }
    },
  }
}

const outOfScope: TaskError = {
  code: 'OUT_OF_SCOPE',
  message: 'The page redirected to a site outside the crawl.',
}

/** What a crawl learns from a page: what the page links to, and where its redirects ended. */
export interface FollowedPage {
  found: CrawlPage[]
  ends: CrawlPage[]
}

/** Undefined for a page that redirected out of the crawl. */
export async function followPage(
  parts: FrontierParts,
  job: JobView,
  { task, page }: { task: Task; page: PageOfCrawl },
): Promise<FollowedPage | undefined> {
  const { crawl: plan } = job.request
  const scope = plan && new CrawlScope({ ...plan, seedUrl: plan.seed.url })
  if (!plan || !scope?.isOnSite(page.url)) return undefined
  const end = endOfRedirect(job, plan, task, page)
  const isSeen = end !== undefined && (await isSeenBefore(parts, end))
  const found = isSeen ? [] : await findPages(parts, job, { task, page, scope })
  return { found, ends: end ? [end] : [] }
}

/**
 * Whether the crawl has the end of a redirect as a page, so that its links are followed there. Of several
 * redirects of one depth to the same end each adds its links: the first in order has them in the end,
 * whichever is fetched first.
 */
async function isSeenBefore({ db }: FrontierParts, end: CrawlPage): Promise<boolean> {
  const [known] = await db.run(findPlace(end.jobId, end.key))
  if (!known || known.depth > end.depth) return false
  const isRedirectEnd = known.position !== null && known.position < 0
  return known.depth < end.depth || !isRedirectEnd
}

/** Judging the links of one page may take about a second in all; those beyond are not followed. */
const judgedCharactersMax = 40_000_000

/** The pages that a page links to, as far as the crawl may get to them. */
async function findPages(
  parts: FrontierParts,
  job: JobView,
  { task, page, scope }: { task: Task; page: PageOfCrawl; scope: CrawlScope },
): Promise<CrawlPage[]> {
  const { crawl: plan } = job.request
  const depth = depthOf(task) + 1
  const parentPosition = task.job?.position ?? 0
  const place = { jobId: job.id, depth, parentPosition }
  if (!plan || !page.links || depth > plan.depth || !(await hasRoomAfter(parts, job, place))) {
    return []
  }
  const mayFetch = await judgeOfOwnHosts(parts, job, [task.request.url, page.url])
  const found = new Map<string, CrawlPage>()
  const globCount = plan.includePaths.length + plan.excludePaths.length
  const budget = { charactersLeft: judgedCharactersMax }
  const turns = new Turns(job.accountId)
  for (const url of page.links.followable) {
    // Of so many links enough are new: no more than that are chosen or ends of redirects already.
    if (found.size === plan.limit + job.counts.total) break
    if (budget.charactersLeft < 0) break
    if (turns.isOver) await turns.next()
    // Globs may look at the whole path, too.
    budget.charactersLeft -= globCount * url.length
    const address = scope.isFollowed(url) ? addressOf(plan, url) : undefined
    if (!address || found.has(address.key) || !mayFetch(url, budget)) continue
    const linkIndex = found.size
    found.set(address.key, { ...place, ...address, accountId: job.accountId, linkIndex })
  }
  return [...found.values()]
}

/**
 * Whether a page after the links of earlier pages can be within the limit. Each page that is still open
 * may redirect to one of those links, which is then no page of its own.
 */
async function hasRoomAfter(
  { db }: FrontierParts,
  { state, request: { crawl }, counts }: JobView,
  place: { jobId: string; depth: number; parentPosition: number },
): Promise<boolean> {
  const left = (crawl?.limit ?? 0) - counts.total
  if (left <= 0 || state !== 'open') return false
  const [before = 0] = await db.run(countFoundBefore(place))
  return before < left + counts.open
}

/**
 * Judges links by the robots.txt of the page's own hosts, so that forbidden ones do not fill the limit.
 * Those of other hosts are judged when they are chosen: a page may link to thousands of hosts.
 */
async function judgeOfOwnHosts(
  { politeness }: FrontierParts,
  job: JobView,
  ownUrls: readonly string[],
): Promise<UrlJudge> {
  const judges = new Map<string, UrlJudge>()
  for (const url of ownUrls) judges.set(new URL(url).origin, await politeness.judgeOf(job, url))
  return (url, budget) => judges.get(new URL(url).origin)?.(url, budget) ?? true
}

/** The page where the redirects of another one ended; undefined if it was not redirected. */
function endOfRedirect(
  job: JobView,
  plan: CrawlPlan,
  task: Task,
  page: PageOfCrawl,
): CrawlPage | undefined {
  const address = addressOf(plan, page.url)
  if (!address || address.key === addressOf(plan, task.request.url)?.key) return undefined
  return {
    ...address,
    jobId: job.id,
    accountId: job.accountId,
    depth: depthOf(task),
    parentPosition: task.job?.position ?? 0,
    linkIndex: 0,
  }
}

const depthOf = ({ request: { purpose } }: Task): number =>
  purpose.kind === 'crawl' ? purpose.crawl.depth : 1
