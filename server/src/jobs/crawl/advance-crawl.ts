import type { JobView } from '../../storage/tables/jobs.ts'
import { type ChoosingParts, choosePages } from './choose-pages.ts'
import { type QueueingParts, queuePages } from './queue-pages.ts'
import { type SeedingParts, seedFromSitemaps } from './seed-from-sitemaps.ts'

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
export async function advanceCrawl(
  parts: SeedingParts & ChoosingParts & QueueingParts,
  job: JobView,
): Promise<Advance> {
  const { crawl: plan } = job.request
  if (!plan || job.state !== 'open') return { kind: 'done' }
  if (job.counts.open === 0) {
    if (job.counts.total === 1) await seedFromSitemaps(parts, job, plan)
    const chosen = await choosePages(parts, job, plan)
    if (chosen === 'none') return { kind: 'done' }
    // Another process drives it, or it was cancelled.
    if (chosen === 'overtaken') return { kind: 'running' }
  }
  const untilMs = await queuePages(parts, job, plan)
  return untilMs === Number.POSITIVE_INFINITY ? { kind: 'running' } : { kind: 'waiting', untilMs }
}
