import type { CrawlPlan } from '../../domain/job/job.ts'
import type { TaskError } from '../../domain/task/task.ts'
import { commitEntries } from '../../queue/pending-entries.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import type { Database } from '../../storage/database.ts'
import {
  countQueued,
  type HostPlaces,
  hasRoom,
  lockHost,
  markQueued,
} from '../../storage/tables/crawl-hosts.ts'
import { stopWaiting, waitForHost } from '../../storage/tables/crawl-waits.ts'
import type { JobView } from '../../storage/tables/jobs.ts'
import { getTaskToWorkOn, listUnqueued } from '../../storage/tables/tasks.ts'
import { type EnqueueParts, enqueueTasks } from '../../tasks/enqueue-tasks.ts'
import type { Settler } from '../../tasks/settle.ts'
import type { ChangedJob } from '../announce-job.ts'
import { atSeveralSites, hostOf, type Politeness } from './politeness.ts'
import { type HostLimits, limitsAt, placesAt, roomAtHost } from './room-at-host.ts'
import { writeStep } from './write-step.ts'

export interface QueueingParts extends EnqueueParts {
  db: Database
  sealer: Sealer
  settler: Pick<Settler, 'expire'>
  politeness: Politeness
  /** Lets another crawl have its turn at a host. */
  wake(job: ChangedJob): void
  /** How many pages of a host all crawls of the store may fetch at once. */
  hostConcurrency: number
}

/** The crawl needs no more than these in the queue, and others must not wait behind them. */
const queuedMax = 100

/** Of a crawl of many hosts, so many pages are looked through for one whose host has time. */
const lookedThroughMax = 1_000

/** How soon to look again for a host that is busy. */
const busyHostMs = 1_000

/**
 * Queues chosen pages, as many as the crawl and their hosts may have in the queue. Returns when to go on with
 * the others, unless a page of the crawl ends sooner.
 */
export async function queuePages(
  parts: QueueingParts,
  job: JobView,
  plan: CrawlPlan,
): Promise<number> {
  const { db, politeness } = parts
  const [queued = 0] = await db.run(countQueued(job.id))
  let room = queuedMax - queued
  const isOneSite = plan.sameDomainOnly && !plan.includeSubdomains
  const waiting =
    room > 0 ? await db.run(listUnqueued(job.id, isOneSite ? room : lookedThroughMax)) : []
  let untilMs = Number.POSITIVE_INFINITY
  // In the same order in every process, so that two that lock several hosts do not deadlock.
  const byHost = [...Map.groupBy(waiting, ({ url }) => hostOf(url))].toSorted()
  const firstUrls = byHost.flatMap(([, [page]]) => (page ? [page.url] : []))
  await atSeveralSites(firstUrls, (url) => politeness.pausesOf(job, url))
  for (const [host, pages] of byHost) {
    const [first] = pages
    if (!first || room <= 0 || (await failIfForbidden(parts, job, first))) continue
    const usual = limitsAt(await politeness.pausesOf(job, first.url), parts.hostConcurrency)
    const places = placesAt(host, job.accountId)
    const { free, limits, waitAt, nextAtMs } = await roomAtHost(parts, job, {
      places,
      limits: usual,
    })
    untilMs = Math.min(untilMs, nextAtMs)
    const taken = pages.slice(0, Math.max(0, Math.min(free, room)))
    const isQueued =
      taken.length === 0 ||
      (await enqueue(parts, job, { places, limits, ids: taken.map(({ id }) => id) }))
    if (isQueued) room -= taken.length
    if (taken.length === pages.length && isQueued) continue
    // The end of an own page is noticed at once, those of others are not.
    untilMs = Math.min(untilMs, db.nowMs() + busyHostMs)
    if (waitAt) await db.run(waitForHost({ host: waitAt, jobId: job.id, nowMs: db.nowMs() }))
  }
  return untilMs
}

/** Only the seed page can be forbidden here; of the others only allowed ones are chosen. */
async function failIfForbidden(
  { db, sealer, politeness, settler }: QueueingParts,
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
  parts: QueueingParts,
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
    writeStep(db, [
      lockHost(places.host),
      stopWaiting(places.host, job.id),
      stopWaiting(places.ofAccount, job.id),
      hasRoom(places, { ...limits, count: tasks.length, nowMs: db.nowMs() }).required('room'),
      ...tasks.map(({ id }) => markQueued(id, places.host).required('open')),
      ...pending.statements,
    ]),
  )
}
