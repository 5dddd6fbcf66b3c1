import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { CrawlResult } from '@trawl/sdk'
import { trawl } from '../client.ts'
import { outlineIntervalMs } from './outline-interval.ts'
import type { OpenedJob } from './shown-job.ts'

/** A page of a crawl without its content. */
export type OutlinedPage = Pick<
  CrawlResult,
  'task_id' | 'url' | 'parent_url' | 'depth' | 'status' | 'error_code'
>

/** Pictures of more pages show no more to an eye, and each is a line to read and a shape to draw. */
export const outlinedMax = 2_000

/** The first pages of a crawl, breadth first. Read again by the clock, as each reading has all of them. */
export const crawlOutlineQuery = ({ id, completedAt, counts }: OpenedJob) =>
  queryOptions({
    queryKey: ['outline', id, completedAt],
    queryFn: ({ signal }) => readOutline(id, signal),
    refetchInterval: completedAt === null && outlineIntervalMs(counts.total),
    placeholderData: keepPreviousData,
  })

async function readOutline(id: string, signal: AbortSignal): Promise<OutlinedPage[]> {
  const pages: OutlinedPage[] = []
  for await (const result of trawl.crawlResults(id, { contents: 'none', signal })) {
    const { task_id, url, parent_url, depth, status, error_code } = result
    pages.push({ task_id, url, parent_url, depth, status, error_code })
    if (pages.length === outlinedMax) break
  }
  return pages
}
