import type { Job, JobCounts, MapJob } from '@trawl/sdk'
import { countText } from '../parts/value-text.ts'

export const jobKinds = ['batch', 'crawl', 'map'] as const satisfies Job['kind'][]

/** A job with what only its own page shows. */
export interface OpenedJob extends Job {
  /** Pages that a crawl has found and not chosen yet. */
  frontierCount: number | null
  /** What a batch could not fetch, as it is no URL. */
  invalidUrls: readonly string[]
  links: MapJob['links']
  errorText: string | null
}

export const jobLink = (id: string): string => `/app/jobs/${id}`

export const jobName = ({ kind, url, counts }: Job): string => {
  if (kind === 'batch') return `Batch of ${countText(counts.total)} ${plural(counts.total, 'URL')}`
  return `${kind === 'crawl' ? 'Crawl' : 'Map'} of ${url}`
}

export const plural = (count: number, word: string): string => (count === 1 ? word : `${word}s`)

/** Over the whole time of the job; null while nothing was fetched. */
export function pagesPerMinute(job: Job, nowMs: number): number | null {
  const fetched = job.counts.completed + job.counts.failed
  const endMs = job.completed_at === null ? nowMs : Date.parse(job.completed_at)
  const minutes = (endMs - Date.parse(job.created_at)) / 60_000
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
export function ringArcs(counts: JobCounts): RingArc[] {
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
export function endedPercent({ total, pending }: JobCounts): number {
  if (total === 0 || pending === total) return 0
  if (pending === 0) return 100
  return Math.min(99, Math.max(1, Math.round(((total - pending) / total) * 100)))
}
