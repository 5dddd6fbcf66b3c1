import type { OutlinedPage } from './crawl-outline.ts'
import type { ShownJob } from './shown-job.ts'

/** How many pages of a depth are in which state. */
export interface DepthCounts {
  depth: number
  total: number
  byState: Record<ShownJob['status'], number>
}

/** From the seed on, each depth once. */
export function countDepths(pages: readonly OutlinedPage[]): DepthCounts[] {
  const depths = new Map<number, DepthCounts>()
  for (const { depth, status } of pages) {
    const counts = depths.get(depth) ?? {
      depth,
      total: 0,
      byState: { completed: 0, failed: 0, processing: 0, queued: 0, cancelled: 0 },
    }
    counts.total++
    counts.byState[status]++
    depths.set(depth, counts)
  }
  return [...depths.values()].toSorted((one, other) => one.depth - other.depth)
}
