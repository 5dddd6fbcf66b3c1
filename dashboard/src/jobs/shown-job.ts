import type { Job, JobCounts, MapJob } from '@trawl/sdk'
import { countText } from '../parts/value-text.ts'

export const jobKinds = ['batch', 'crawl', 'map'] as const satisfies Job['kind'][]

/** How many pages are in which state; the four add up to the total. */
export type PagesByState = JobCounts

/** A batch, a crawl or a map, as pages show it. */
export interface ShownJob extends Pick<Job, 'kind' | 'url' | 'status' | 'counts'> {
  id: string
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

export const jobLink = (id: string): string => `/app/jobs/${id}`

export const jobName = ({ kind, url, counts }: ShownJob): string => {
  if (kind === 'batch') return `Batch of ${countText(counts.total)} ${plural(counts.total, 'URL')}`
  return `${kind === 'crawl' ? 'Crawl' : 'Map'} of ${url}`
}

export const plural = (count: number, word: string): string => (count === 1 ? word : `${word}s`)

export const toShownJob = ({ kind, url, status, counts, ...job }: Job): ShownJob => ({
  id: job.job_id,
  kind,
  url,
  status,
  counts,
  linkCount: job.links_count,
  createdAt: job.created_at,
  completedAt: job.completed_at,
})

/** Over the whole time of the job; null while nothing was fetched. */
export function pagesPerMinute(job: ShownJob, nowMs: number): number | null {
  const fetched = job.counts.completed + job.counts.failed
  const endMs = job.completedAt === null ? nowMs : Date.parse(job.completedAt)
  const minutes = (endMs - Date.parse(job.createdAt)) / 60_000
  return fetched === 0 || minutes <= 0 ? null : fetched / minutes
}

/** A part of a ring, in percent of it. */
interface RingArc {
  state: 'completed' | 'failed' | 'cancelled'
  from: number
  length: number
}

const states = ['completed', 'failed', 'cancelled'] as const

/** The ended pages of a job as parts of a ring, one behind the other; what is left of it is pending. */
export function ringArcs(counts: PagesByState): RingArc[] {
  let from = 0
  const arcs: RingArc[] = []
  for (const state of states) {
    const length = counts.total === 0 ? 0 : (counts[state] / counts.total) * 100
    if (length > 0) arcs.push({ state, from, length })
    from += length
  }
  return arcs
}

/** It says 100 % only when nothing is left, and 0 % only when nothing has ended. */
export function endedPercent({ total, pending }: PagesByState): number {
  if (total === 0 || pending === total) return 0
  if (pending === 0) return 100
  return Math.min(99, Math.max(1, Math.round(((total - pending) / total) * 100)))
}
