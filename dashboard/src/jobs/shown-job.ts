import type { BatchJob, BatchJobItem, CrawlJob, CrawlJobItem, MapJob, MapJobItem } from '@trawl/sdk'
import { countText } from '../parts/number-text.ts'

export const jobKinds = ['batch', 'crawl', 'map'] as const

/** How many pages are in which state; the four add up to the total. */
export interface PagesByState {
  total: number
  completed: number
  failed: number
  cancelled: number
  pending: number
}

/** A batch, a crawl or a map, as pages show it. */
export interface ShownJob {
  id: string
  kind: (typeof jobKinds)[number]
  /** Where a crawl or a map began. */
  url: string | null
  status: BatchJob['status']
  counts: PagesByState
  /** How many URLs a map has found. */
  linkCount: number | null
  createdAt: string
  completedAt: string | null
}

/** A job with what only its own page shows. */
export interface OpenedJob extends ShownJob {
  /** Pages that a crawl has found and not chosen yet. */
  frontierCount: number | null
  /** What a batch could not fetch, as it is no URL. */
  invalidUrls: readonly string[]
  links: MapJob['links']
  errorText: string | null
}

/** With its kind, so that its page asks the right route at once. */
export const jobLink = ({ kind, id }: { kind: string; id: string }): string =>
  `/app/jobs/${id}?kind=${kind}`

export const jobName = ({ kind, url, counts }: ShownJob): string => {
  if (kind === 'batch') return `Batch of ${countText(counts.total)} ${plural(counts.total, 'URL')}`
  return `${kind === 'crawl' ? 'Crawl' : 'Map'} of ${url}`
}

export const plural = (count: number, word: string): string => (count === 1 ? word : `${word}s`)

export const listedBatch = (job: BatchJobItem): ShownJob => ({
  ...shared(job),
  kind: 'batch',
  url: null,
  counts: countsOfItem(job, job.accepted_urls, job.completed_urls, job.failed_urls),
})

export const listedCrawl = (job: CrawlJobItem): ShownJob => ({
  ...shared(job),
  kind: 'crawl',
  url: job.url,
  counts: countsOfItem(job, job.total_pages, job.completed_pages, job.failed_pages),
})

export const listedMap = (job: MapJobItem): ShownJob => ({
  ...shared(job),
  kind: 'map',
  url: job.url,
  counts: countsOfItem(job, 1, job.status === 'completed' ? 1 : 0, job.status === 'failed' ? 1 : 0),
  linkCount: job.links_count,
})

export const openedBatch = (job: BatchJob): OpenedJob => ({
  ...shared(job),
  ...unlikeOthers,
  kind: 'batch',
  url: null,
  counts: {
    total: job.total_urls,
    completed: job.completed_urls,
    failed: job.failed_urls,
    cancelled: job.cancelled_urls,
    pending: job.pending_urls,
  },
  invalidUrls: job.invalid_urls,
})

export const openedCrawl = (job: CrawlJob): OpenedJob => ({
  ...shared(job),
  ...unlikeOthers,
  kind: 'crawl',
  url: job.url,
  counts: {
    total: job.total_pages,
    completed: job.completed_pages,
    failed: job.failed_pages,
    cancelled: job.cancelled_pages,
    pending: job.pending_pages,
  },
  frontierCount: job.frontier_pages,
})

export const openedMap = (job: MapJob): OpenedJob => ({
  ...unlikeOthers,
  ...listedMap(job),
  links: job.links,
  errorText: job.error_code && `${job.error_code}: ${job.error_message ?? ''}`,
})

const unlikeOthers = { frontierCount: null, invalidUrls: [], links: [], errorText: null }

interface AnyJob {
  job_id: string
  status: ShownJob['status']
  created_at: string
  completed_at: string | null
}

const shared = ({ job_id, status, created_at, completed_at }: AnyJob) => ({
  id: job_id,
  status,
  linkCount: null,
  createdAt: created_at,
  completedAt: completed_at,
})

/** A list does not say what the other pages are: they wait until the job has ended, and then are cancelled. */
function countsOfItem(
  { completed_at }: AnyJob,
  total: number,
  completed: number,
  failed: number,
): PagesByState {
  const others = total - completed - failed
  const [pending, cancelled] = completed_at === null ? [others, 0] : [0, others]
  return { total, completed, failed, cancelled, pending }
}

/** Over the whole time of the job; null while nothing was fetched. */
export function pagesPerMinute(job: ShownJob, nowMs: number): number | null {
  const fetched = job.counts.completed + job.counts.failed
  const endMs = job.completedAt === null ? nowMs : Date.parse(job.completedAt)
  const minutes = (endMs - Date.parse(job.createdAt)) / 60_000
  return fetched === 0 || minutes <= 0 ? null : fetched / minutes
}
