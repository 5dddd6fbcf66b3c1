import type { SeedRequest } from '../crawl/page-request.ts'
import type { FailureCode } from '../failure.ts'
import { redactUrl } from '../redact-url.ts'
import type { MapOrder } from '../scrape/scrape-request.ts'
import type { TaskStatus } from '../task/task.ts'
import type { JobConfig } from './job-config.ts'

/** A group of tasks that a caller follows as one. */
export interface Job {
  id: string
  accountId: string
  kind: JobKind
  /** Only what the job shows of it: each of its tasks has a request of its own. */
  request: JobRequest
  /** The URLs of a batch that were refused. */
  invalidUrls: string[]
  callbackUrl: string | null
  createdAtMs: number
}

export const jobKindNames = ['batch', 'crawl', 'map'] as const
export type JobKind = (typeof jobKindNames)[number]

export interface JobRequest {
  config: JobConfig
  crawl?: CrawlPlan
  map?: MapOrder
}

/** What lists show of a request. A list reads many, and a whole one may be long. */
export interface ListedJobRequest {
  config: JobConfig
  crawl?: Pick<CrawlPlan, 'sameDomainOnly' | 'includeSubdomains'> & {
    seed: Pick<SeedRequest, 'url'>
  }
  map?: MapOrder
}

export const toListedJobRequest = ({ config, crawl, map }: JobRequest): ListedJobRequest => ({
  config,
  ...(crawl && {
    crawl: {
      seed: { url: redactUrl(crawl.seed.url) },
      sameDomainOnly: crawl.sameDomainOnly,
      includeSubdomains: crawl.includeSubdomains,
    },
  }),
  ...(map && { map: { ...map, url: redactUrl(map.url) } }),
})

/** What a crawl needs to go on, whichever process does it. */
export interface CrawlPlan {
  seed: SeedRequest
  /** Makes the keys of its pages useless for telling whether a URL was crawled. */
  salt: string
  depth: number
  limit: number
  sameDomainOnly: boolean
  includeSubdomains: boolean
  includePaths: string[]
  excludePaths: string[]
  respectsRobots: boolean
  delayMs: number
  usesSitemaps: boolean
  maxAgeMs: number
}

/** How many tasks of a job are in each state; they always add up to `total`. */
export interface JobCounts {
  total: number
  open: number
  completed: number
  failed: number
  cancelled: number
}

export interface JobProgress {
  state: JobState
  counts: JobCounts
  tokens: number
  /** How often its failed tasks were run again. */
  retries: number
  /** Only of a map. */
  linksCount: number
  /** A worker has begun one of its tasks. */
  isStarted: boolean
  error: { code: FailureCode; message: string } | null
  /** Null until its last task has ended. A cancelled job may still have running tasks. */
  completedAtMs: number | null
}

/** A job as lists have it. */
export interface ListedJob
  extends Pick<Job, 'id' | 'kind' | 'createdAtMs'>,
    Omit<JobProgress, 'error'> {
  request: ListedJobRequest
}

export type JobState = 'open' | JobEnd
export type JobEnd = 'completed' | 'failed' | 'cancelled'

export const jobStatus = ({
  state,
  isStarted,
}: Pick<JobProgress, 'state' | 'isStarted'>): TaskStatus => {
  if (state !== 'open') return state
  return isStarted ? 'processing' : 'queued'
}

/** A batch fails only if none of its pages was tried. */
export function endOfBatch({ state, counts }: Pick<JobProgress, 'state' | 'counts'>): JobEnd {
  if (state === 'cancelled') return 'cancelled'
  return counts.completed + counts.failed > 0 ? 'completed' : 'failed'
}

/** A map has one task. */
export function endOfMap({ counts }: Pick<JobProgress, 'counts'>): JobEnd {
  if (counts.cancelled > 0) return 'cancelled'
  return counts.failed > 0 ? 'failed' : 'completed'
}

/** A crawl fails if its seed page did, because then it has no other page. */
export function endOfCrawl({ state, counts }: Pick<JobProgress, 'state' | 'counts'>): JobEnd {
  if (state !== 'open') return state
  return counts.total === 1 && counts.completed === 0 ? 'failed' : 'completed'
}
