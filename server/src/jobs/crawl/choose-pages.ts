import { pageRequest } from '../../domain/crawl/page-request.ts'
import type { CrawlPlan } from '../../domain/job/job.ts'
import type { Task, TaskProgress } from '../../domain/task/task.ts'
import { mapInTurns, Turns } from '../../runtime/sharing/turns.ts'
import type { Statement } from '../../storage/statement.ts'
import {
  addPages,
  type CrawlPage,
  choosePage,
  type FoundPage,
  listFound,
  removeFound,
} from '../../storage/tables/crawl-pages.ts'
import { addTasksToJob, isJobOpen, type JobView } from '../../storage/tables/jobs.ts'
import { newTask } from '../../tasks/new-task.ts'
import type { ProxyPool } from '../../tasks/proxies/proxy-pool.ts'
import { findCacheHits, type ResultCacheParts } from '../../tasks/results/result-cache.ts'
import type { FinishedResult } from '../../tasks/results/result-store.ts'
import { insertInTurns } from '../submit-job.ts'
import { type FollowedPage, type FrontierParts, followPage } from './frontier.ts'
import { atSeveralSites } from './politeness.ts'
import { writeStep } from './write-step.ts'

export interface ChoosingParts extends FrontierParts, ResultCacheParts {
  proxies: Pick<ProxyPool, 'isEmpty'>
  /** The stored result of a task; undefined once it is not kept any more. */
  readResult(task: Task & TaskProgress): Promise<FinishedResult | undefined>
}

const chosenAtOnce = 200

/** Gives the found pages of the lowest depth their positions, some at a time. */
export async function choosePages(
  parts: ChoosingParts,
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
    const isWritten = await writeStep(db, [
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

async function judge(
  { politeness }: ChoosingParts,
  job: JobView,
  found: readonly FoundPage[],
): Promise<{ allowed: FoundPage[]; forbidden: FoundPage[] }> {
  const allowed = new Set<FoundPage>()
  const byOrigin = Map.groupBy(found, ({ url }) => new URL(url).origin)
  // Site by site, because the rules of one may take megabytes.
  await atSeveralSites([...byOrigin], async ([origin, pages]) => {
    const mayFetch = await politeness.judgeOf(job, origin)
    const judged = await mapInTurns(pages, ({ url }) => mayFetch(url), job.accountId)
    for (const [index, page] of pages.entries()) if (judged[index]) allowed.add(page)
  })
  return {
    allowed: found.filter((page) => allowed.has(page)),
    forbidden: found.filter((page) => !allowed.has(page)),
  }
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
  parts: ChoosingParts,
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
  parts: ChoosingParts,
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
  parts: Pick<ChoosingParts, 'db' | 'proxies'>,
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
