import { pageRequest } from '../../domain/crawl/page-request.ts'
import type { CrawlPlan } from '../../domain/job/job.ts'
import type { Task, TaskError, TaskProgress } from '../../domain/task/task.ts'
import { commitEntries } from '../../queue/pending-entries.ts'
import { crashPoint } from '../../runtime/crash-point.ts'
import { Turns } from '../../runtime/sharing/turns.ts'
import { isCommitted, type Statement } from '../../storage/statement.ts'
import {
  countQueued,
  type HostPlaces,
  hasRoom,
  lockHost,
  markQueued,
} from '../../storage/tables/crawl-hosts.ts'
import {
  addPages,
  type CrawlPage,
  choosePage,
  type FoundPage,
  listFound,
  removeFound,
} from '../../storage/tables/crawl-pages.ts'
import { leaveLine, waitForHost } from '../../storage/tables/crawl-turns.ts'
import { addTasksToJob, isJobOpen, type JobView } from '../../storage/tables/jobs.ts'
import { getTaskToWorkOn, listUnqueued } from '../../storage/tables/tasks.ts'
import { enqueueTasks } from '../../tasks/enqueue-tasks.ts'
import { newTask } from '../../tasks/new-task.ts'
import type { FinishedResult } from '../../tasks/results/kept-results.ts'
import { findCacheHits } from '../../tasks/results/result-cache.ts'
import type { ChangedJob } from '../announce-job.ts'
import { insertInTurns, type SubmitJobParts } from '../submit-job.ts'
import { addressOf, type FollowedPage, followPage } from './frontier.ts'
import { hostOf, type Politeness } from './politeness.ts'
import { type HostLimits, limitsAt, placesAt, roomAtHost } from './room-at-host.ts'

export interface CrawlerParts extends SubmitJobParts {
  politeness: Politeness
  /** The stored result of a task; undefined once it is not kept any more. */
  readResult(task: Task & TaskProgress): Promise<FinishedResult | undefined>
  /** The pages that the sitemaps of the site name, as many as asked for. */
  listSitemapPages(job: JobView, countMax: number): Promise<string[]>
  /** Lets another crawl have its turn at a host. */
  wake(job: ChangedJob): void
  /** How many pages of a host all crawls of the store may fetch at once. */
  hostConcurrency: number
}

/** The crawl needs no more than these in the queue, and others must not wait behind them. */
const queuedMax = 100
const chosenAtOnce = 200

/** What a crawl does next. */
export type Advance =
  | { kind: 'done' }
  /** It goes on when one of its pages ends. */
  | { kind: 'running' }
  /** It goes on at this time, or when a page of another crawl of the same host ends. */
  | { kind: 'waiting'; untilMs: number }

/**
 * Takes a crawl one step further: chooses the pages of the next depth once those of the last have ended,
 * and queues as many chosen ones as their hosts may be asked for.
 */
export async function advanceCrawl(parts: CrawlerParts, job: JobView): Promise<Advance> {
  const { crawl: plan } = job.request
  if (!plan || job.state !== 'open') return { kind: 'done' }
  if (job.counts.open > 0) return queuePages(parts, job, plan)
  if (job.counts.total === 1) await addSitemapPages(parts, job, plan)
  const chosen = await choosePages(parts, job, plan)
  if (chosen === 'none') return { kind: 'done' }
  // Another process drives it, or it was cancelled.
  if (chosen === 'overtaken') return { kind: 'running' }
  return queuePages(parts, job, plan)
}

/** Sitemaps count as links of the seed page, after its own. */
async function addSitemapPages(parts: CrawlerParts, job: JobView, plan: CrawlPlan): Promise<void> {
  if (!plan.usesSitemaps || plan.depth < 2 || plan.limit < 2 || job.counts.completed < 1) return
  const pages = new Map<string, CrawlPage>()
  const turns = new Turns(job.accountId)
  for (const [index, url] of (await parts.listSitemapPages(job, plan.limit)).entries()) {
    if (turns.isOver) await turns.next()
    const address = addressOf(plan, url)
    if (!address || pages.has(address.key)) continue
    pages.set(address.key, {
      ...address,
      jobId: job.id,
      accountId: job.accountId,
      depth: 2,
      parentPosition: 0,
      linkIndex: plan.limit + index,
    })
  }
  const found = [...pages.values()]
  await parts.db.transaction(await addPages(parts.sealer, { found, ends: [] }))
}

/** Gives the found pages of the lowest depth their positions, some at a time. */
async function choosePages(
  parts: CrawlerParts,
  job: JobView,
  plan: CrawlPlan,
): Promise<'some' | 'none' | 'overtaken'> {
  const { db, sealer } = parts
  let { total } = job.counts
  let chosenDepth: number | undefined
  for (;;) {
    const left = plan.limit - total
    const found = left > 0 ? await db.run(listFound(sealer, job, chosenAtOnce)) : []
    const [first] = found
    // The pages of the next depth are chosen when these have ended.
    const isOver = !first || (chosenDepth !== undefined && first.depth !== chosenDepth)
    if (isOver) return chosenDepth === undefined ? 'none' : 'some'
    const { allowed, forbidden } = await judge(parts, job, found)
    // It may have been cancelled while robots.txt of many hosts was fetched.
    const [isOpen] = await db.run(isJobOpen(job.id))
    if (!isOpen) return 'overtaken'
    const chosen = allowed.slice(0, left)
    const isWritten = await writeAll(parts, [
      // Pages before the job, as at the end of a page: otherwise the two could deadlock on PostgreSQL.
      ...markStatements(job.id, { chosen, forbidden, firstPosition: total }),
      ...(chosen.length > 0
        ? [addTasksToJob({ id: job.id, totalCount: total, added: chosen.length }).required('open')]
        : []),
      ...(await chooseStatements(parts, job, plan, chosen, total)),
    ])
    if (!isWritten) return chosenDepth === undefined ? 'overtaken' : 'some'
    total += chosen.length
    if (chosen.length > 0) chosenDepth = first.depth
  }
}

/** How many robots.txt of different hosts a crawl asks for at once; its account has a limit too. */
const judgesAtOnceMax = 16

async function judge(parts: CrawlerParts, job: JobView, found: readonly FoundPage[]) {
  const byOrigin = [...Map.groupBy(found, ({ url }) => new URL(url).origin)]
  const judges = new Map<string, (url: string) => boolean>()
  while (byOrigin.length > 0) {
    const some = byOrigin.splice(0, judgesAtOnceMax)
    await Promise.all(
      some.map(async ([origin, [page]]) => {
        if (page) judges.set(origin, await parts.politeness.judgeOf(job, page.url))
      }),
    )
  }
  const judged = { allowed: [] as FoundPage[], forbidden: [] as FoundPage[] }
  const turns = new Turns(job.accountId)
  for (const page of found) {
    if (turns.isOver) await turns.next()
    const isAllowed = judges.get(new URL(page.url).origin)?.(page.url) ?? false
    judged[isAllowed ? 'allowed' : 'forbidden'].push(page)
  }
  return judged
}

/** In the order of their keys, in which all who change pages lock them. */
function markStatements(
  jobId: string,
  marked: {
    chosen: readonly FoundPage[]
    forbidden: readonly FoundPage[]
    firstPosition: number
  },
): Statement<unknown>[] {
  const chosen = marked.chosen.map(({ key }, index) => ({
    key,
    statement: choosePage({ jobId, key, position: marked.firstPosition + index }).required('found'),
  }))
  const forbidden = marked.forbidden.map(({ key }) => ({
    key,
    statement: removeFound({ jobId, key }),
  }))
  return [...chosen, ...forbidden]
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ statement }) => statement)
}

async function chooseStatements(
  parts: CrawlerParts,
  job: JobView,
  plan: CrawlPlan,
  chosen: readonly FoundPage[],
  firstPosition: number,
): Promise<Statement<unknown>[]> {
  const others: Task[] = []
  const hits: Statement<unknown>[] = []
  const found = new Map<string, CrawlPage>()
  const ends = new Map<string, CrawlPage>()
  const turns = new Turns(job.accountId)
  for (const [index, page] of chosen.entries()) {
    if (turns.isOver) await turns.next()
    const position = firstPosition + index
    const task = pageTask(parts, job, plan, { ...page, position })
    const hit = await findHit(parts, job, plan, task)
    if (hit) hits.push(...parts.settler.completedAtOnce(hit.task))
    else others.push(task)
    // In the order of their pages, so that the first link to a page counts.
    for (const one of hit?.found ?? []) {
      if (found.size < plan.limit && !found.has(one.key)) found.set(one.key, one)
    }
    for (const one of hit?.ends ?? []) if (!ends.has(one.key)) ends.set(one.key, one)
  }
  const followed = { found: [...found.values()], ends: [...ends.values()] }
  const inserts = await insertInTurns(parts.sealer, others)
  return [...inserts, ...hits, ...(await addPages(parts.sealer, followed))]
}

/** A page that a stored result completes at once (`max_age`), with the links of that result. */
async function findHit(
  parts: CrawlerParts,
  job: JobView,
  plan: CrawlPlan,
  task: Task,
): Promise<(FollowedPage & { task: Task & TaskProgress }) | undefined> {
  const [hit] = await findCacheHits(parts, [task], plan.maxAgeMs)
  const result = hit && (await parts.readResult(hit))
  if (!result) return undefined
  const page = { url: result.page.url, links: result.content.links }
  const followed = await followPage(parts, job, { task: hit, page })
  return followed && { ...followed, task: hit }
}

export const pageTask = (
  parts: CrawlerParts | SubmitJobParts,
  job: Pick<JobView, 'id' | 'accountId'>,
  plan: CrawlPlan,
  page: { url: string; depth: number; parentUrl: string | null; position: number },
): Task =>
  newTask(parts, {
    accountId: job.accountId,
    callbackUrl: null,
    callsBackOnFailure: false,
    request: pageRequest(plan.seed, page.url, { depth: page.depth, parentUrl: page.parentUrl }),
    metadata: null,
    job: { id: job.id, position: page.position },
  })

/** Queues chosen pages, as many as the crawl and their hosts may have in the queue. */
async function queuePages(parts: CrawlerParts, job: JobView, plan: CrawlPlan): Promise<Advance> {
  const { db, politeness } = parts
  const [queued = 0] = await db.run(countQueued(job.id))
  let room = queuedMax - queued
  const isOneSite = plan.sameDomainOnly && !plan.includeSubdomains
  const waiting =
    room > 0 ? await db.run(listUnqueued(job.id, isOneSite ? room : lookedThroughMax)) : []
  let untilMs = Number.POSITIVE_INFINITY
  // In the same order in every process, so that two that lock several hosts do not deadlock.
  const byHost = [...Map.groupBy(waiting, ({ url }) => hostOf(url))].toSorted()
  await fetchRobots(
    parts,
    job,
    byHost.flatMap(([, [page]]) => (page ? [page.url] : [])),
  )
  for (const [host, pages] of byHost) {
    const [first] = pages
    if (!first || room <= 0 || (await failIfForbidden(parts, job, first))) continue
    const usual = limitsAt(await politeness.pausesOf(job, first.url), parts.hostConcurrency)
    const places = placesAt(host, job.accountId)
    const { free, limits, line, nextAtMs } = await roomAtHost(parts, job, { places, limits: usual })
    untilMs = Math.min(untilMs, nextAtMs)
    const taken = pages.slice(0, Math.max(0, Math.min(free, room)))
    const isQueued =
      taken.length === 0 ||
      (await enqueue(parts, job, { places, limits, ids: taken.map(({ id }) => id) }))
    if (isQueued) room -= taken.length
    if (taken.length === pages.length && isQueued) continue
    // The end of an own page is noticed at once, those of others are not.
    untilMs = Math.min(untilMs, db.nowMs() + busyHostMs)
    if (line) await db.run(waitForHost({ host: line, jobId: job.id, nowMs: db.nowMs() }))
  }
  return untilMs === Number.POSITIVE_INFINITY ? { kind: 'running' } : { kind: 'waiting', untilMs }
}

/** Fetches robots.txt of several hosts at once, where this process does not know them. */
async function fetchRobots(
  { politeness }: CrawlerParts,
  job: JobView,
  urls: readonly string[],
): Promise<void> {
  for (let from = 0; from < urls.length; from += judgesAtOnceMax) {
    const some = urls.slice(from, from + judgesAtOnceMax)
    await Promise.all(some.map((url) => politeness.pausesOf(job, url)))
  }
}

/** Of a crawl of many hosts, so many pages are looked through for one whose host has time. */
const lookedThroughMax = 1_000

/** How soon to look again for a host that is busy. */
const busyHostMs = 1_000

/** Only the seed page can be forbidden here; of the others only allowed ones are chosen. */
async function failIfForbidden(
  { db, sealer, politeness, settler }: CrawlerParts,
  job: JobView,
  { id }: { id: string },
): Promise<boolean> {
  const { url } = job.request.crawl?.seed ?? {}
  if (job.counts.total > 1 || !url || (await politeness.judgeOf(job, url))(url)) return false
  const [seed] = await db.run(getTaskToWorkOn(sealer, id))
  if (seed) await settler.expire(seed, robotsForbid)
  return true
}

const robotsForbid: TaskError = {
  code: 'ROBOTS_DISALLOWED',
  message:
    "The site's robots.txt forbids to fetch the page; respect_robots: false fetches it all the same.",
}

/** Returns false if another process was faster. */
async function enqueue(
  parts: CrawlerParts,
  job: JobView,
  { places, limits, ids }: { places: HostPlaces; limits: HostLimits; ids: readonly string[] },
): Promise<boolean> {
  const { db, sealer } = parts
  const found = await Promise.all(ids.map((id) => db.run(getTaskToWorkOn(sealer, id))))
  const tasks = found.flat()
  const [first] = tasks
  if (!first) return true
  const { options } = first.request
  const pending = enqueueTasks(parts, { accountId: job.accountId, options, tasks })
  return commitEntries(pending, () =>
    writeAll(parts, [
      lockHost(places.host),
      leaveLine(places.host, job.id),
      leaveLine(places.ofAccount, job.id),
      hasRoom(places, { ...limits, count: tasks.length, nowMs: db.nowMs() }).required('room'),
      ...tasks.map(({ id }) => markQueued(id, places.host).required('open')),
      ...pending.statements,
    ]),
  )
}

/** Returns false if a requirement was not met. */
async function writeAll(
  { db }: CrawlerParts,
  statements: readonly Statement<unknown>[],
): Promise<boolean> {
  crashPoint('before_crawl_commit')
  const isWritten = await isCommitted(db.transaction(statements))
  if (isWritten) crashPoint('after_crawl_commit')
  return isWritten
}
