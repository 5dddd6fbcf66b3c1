import { randomBytes } from 'node:crypto'
import { Failure } from '../../domain/failure.ts'
import { forwardableHeaders } from '../../domain/forwarded-headers.ts'
import type { CrawlPlan, Job } from '../../domain/job/job.ts'
import type { JobConfig } from '../../domain/job/job-config.ts'
import { crashPoint } from '../../runtime/crash-point.ts'
import { sortableId } from '../../runtime/sortable-id.ts'
import { countFound, insertSeed } from '../../storage/tables/crawl-pages.ts'
import { countOpenCrawls, insertJob, type JobView } from '../../storage/tables/jobs.ts'
import { insertTask } from '../../storage/tables/tasks.ts'
import { requireCapacity, requireEngine } from '../../tasks/enqueue-tasks.ts'
import { requireProxy } from '../../tasks/proxies/require-proxy.ts'
import { type Accepted, type Idempotency, onlyOnce } from '../../tasks/submit.ts'
import { announceJob } from '../announce-job.ts'
import { createJobTracking, type JobTrackingParts } from '../job-tracking.ts'
import { acceptJobOnce, requireModestOptions, type SubmitJobParts } from '../submit-job.ts'
import { pageTask } from './choose-pages.ts'
import { addressOf } from './frontier.ts'

interface NewCrawl {
  plan: Omit<CrawlPlan, 'salt'>
  config: JobConfig
  callbackUrl: string | null
  idempotency: Idempotency | undefined
}

/** Each is looked at again and again until it ends, even if its host lets it wait. */
const openCrawlsMax = 100

const tooManyCrawls = () =>
  new Failure('QUEUE_FULL', `${openCrawlsMax} crawls are running; wait until one has ended.`, {
    retryAfterSeconds: 10,
  })

export type Crawls = ReturnType<typeof createCrawls>

export function createCrawls(parts: SubmitJobParts & JobTrackingParts) {
  const { db, sealer, guard, driver } = parts

  return {
    ...createJobTracking(parts, 'crawl'),
    /** How many pages are found and not chosen yet. */
    async countFrontier({ id, completedAtMs }: Pick<JobView, 'id' | 'completedAtMs'>) {
      if (completedAtMs !== null) return 0
      const [count = 0] = await db.run(countFound(id))
      return count
    },
    /** Resolves once the crawl is committed. */
    async submit(
      accountId: string,
      { callbackUrl, config, idempotency, ...given }: NewCrawl,
    ): Promise<Accepted> {
      const { seed } = given.plan
      guard.requireAllowedUrl(seed.url, 'target')
      if (callbackUrl !== null) guard.requireAllowedUrl(callbackUrl, 'callback')
      requireProxy(parts.proxies, seed)
      requireModestOptions(seed, given.plan.limit)
      // As tasks have it: a process without proxies must fetch none of its pages, nor robots.txt.
      const proxied = parts.proxies.isEmpty ? undefined : ({ isProxied: true } as const)
      const plan = {
        ...given.plan,
        seed: { ...seed, forwardedHeaders: forwardableHeaders(seed.forwardedHeaders), ...proxied },
        salt: randomBytes(16).toString('base64url'),
      }
      const job: Job = {
        id: sortableId(),
        accountId,
        kind: 'crawl',
        request: { config, crawl: plan },
        invalidUrls: [],
        callbackUrl,
        createdAtMs: db.nowMs(),
      }
      const accepted = await acceptJobOnce(parts, job, idempotency, () =>
        enter(job, plan, idempotency),
      )
      driver.changed({ id: accepted.id, accountId })
      return accepted
    },
  }

  async function enter(
    job: Job,
    plan: CrawlPlan,
    idempotency: Idempotency | undefined,
  ): Promise<void> {
    const { options, url } = plan.seed
    await requireEngine(parts, { options })
    requireCapacity(parts, { accountId: job.accountId, count: 1 })
    const [open = 0] = await db.run(countOpenCrawls(job.accountId))
    if (open >= openCrawlsMax) throw tooManyCrawls()
    const seed = { url, depth: 1, parentUrl: null, position: 0 }
    crashPoint('before_accept_commit')
    await db.transaction([
      ...onlyOnce(parts, job, idempotency),
      insertJob(sealer, job, 1),
      insertSeed(sealer, {
        jobId: job.id,
        accountId: job.accountId,
        ...(addressOf(plan, url) ?? { key: url, url }),
        depth: 1,
        parentPosition: -1,
        linkIndex: 0,
      }),
      insertTask(sealer, pageTask(parts, job, plan, seed)),
      announceJob(job),
    ])
    crashPoint('after_accept_commit')
  }
}
