import type { Job } from '@trawl/sdk'
import type { OutlinedPage } from './job-queries.ts'

/** A page with the pages that were found on it first. */
export interface PageNode {
  page: OutlinedPage
  children: PageNode[]
  /** How many pages below it have failed, at any depth. */
  failedBelow: number
}

/**
 * The pages of a crawl below those that they were found on. Pages come breadth first, so that a page can
 * only be below an earlier one: no tree has a circle, whatever URLs a site has. One whose parent is not
 * among them is a root.
 */
export function buildPageTree(pages: readonly OutlinedPage[]): PageNode[] {
  const byUrl = new Map<string, PageNode>()
  const parents = new Map<PageNode, PageNode>()
  const roots: PageNode[] = []
  for (const page of pages) {
    const node: PageNode = { page, children: [], failedBelow: 0 }
    const parent = page.parent_url === null ? undefined : byUrl.get(page.parent_url)
    if (parent) {
      parent.children.push(node)
      parents.set(node, parent)
    } else roots.push(node)
    if (page.status === 'failed') {
      for (let above = parent; above; above = parents.get(above)) above.failedBelow++
    }
    if (!byUrl.has(page.url)) byUrl.set(page.url, node)
  }
  return roots
}

/** A URL in a tree: where it has the origin of the first page, only what follows. */
export function shortUrl(url: string, origin: string): string {
  return url.startsWith(`${origin}/`) ? url.slice(origin.length) : url
}

export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)

/** How many pages of a depth are in which state. */
export interface DepthCounts {
  depth: number
  total: number
  byState: Record<Job['status'], number>
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
