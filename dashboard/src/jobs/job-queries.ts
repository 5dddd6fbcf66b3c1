import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type CrawlResult, type Job, NotFoundError, ValidationError } from '@trawl/sdk'
import { trawl } from '../client.ts'
import type { JobFilters } from './job-filters.ts'
import type { OpenedJob } from './shown-job.ts'

const listLength = 50

/**
 * A part of the list of all jobs, and until when the next part was created, if there is one. That moment belongs
 * to both parts, as not every job of it may be in this one.
 */
export const newestJobsQuery = ({ before, ...others }: JobFilters) =>
  queryOptions({
    queryKey: ['jobs', { before, ...others }],
    queryFn: async ({ signal }) => {
      const query = { ...others, end_date: before, page_size: listLength }
      const { jobs, page_count } = await trawl.listJobs(query, { signal })
      return { jobs, olderUntil: page_count > 1 ? jobs.at(-1)?.created_at : undefined }
    },
    placeholderData: keepPreviousData,
  })

/** A job by its id; null where there is none. */
export const openedJobQuery = (id: string) =>
  queryOptions({
    queryKey: ['job', id, 'head'],
    queryFn: async ({ signal }): Promise<OpenedJob | null> => {
      try {
        const job = await trawl.getJob(id, { signal })
        return { ...job, ...unlikeOthers, ...(await ownPart[job.kind](id, { signal })) }
      } catch (error) {
        // An address may have anything in the place of an id.
        if (error instanceof NotFoundError || error instanceof ValidationError) return null
        throw error
      }
    },
  })

const unlikeOthers = { frontierCount: null, invalidUrls: [], links: [], errorText: null }

type ReadOwnPart = (id: string, options: { signal: AbortSignal }) => Promise<Partial<OpenedJob>>

/** Results are not read with a job: they have their own list. */
const withoutResults = { page_size: 1, contents: 'none' } as const

/** What only one kind of job has. */
const ownPart: Record<Job['kind'], ReadOwnPart> = {
  async batch(id, options) {
    const { invalid_urls } = await trawl.getBatch(id, withoutResults, options)
    return { invalidUrls: invalid_urls }
  },
  async crawl(id, options) {
    const { frontier_pages } = await trawl.getCrawl(id, withoutResults, options)
    return { frontierCount: frontier_pages }
  },
  async map(id, options) {
    const { links, error_code, error_message } = await trawl.getMap(id, options)
    return { links, errorText: error_code && `${error_code}: ${error_message ?? ''}` }
  },
}

/** A page of a crawl without its content. */
export type OutlinedPage = Pick<
  CrawlResult,
  'task_id' | 'url' | 'parent_url' | 'depth' | 'status' | 'error_code'
>

/** Pictures of more pages show no more to an eye, and each is a line to read and a shape to draw. */
export const outlinedMax = 2_000

/** The first pages of a crawl, breadth first. Read again by the clock, as each reading has all of them. */
export const crawlOutlineQuery = ({ job_id: id, completed_at, counts }: OpenedJob) =>
  queryOptions({
    queryKey: ['outline', id, completed_at],
    queryFn: ({ signal }) => readOutline(id, signal),
    refetchInterval: completed_at === null && outlineIntervalMs(counts.total),
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

const shortestMs = 1_000
const longestMs = 10_000

/** A long outline is read less often: about half a millisecond of work a page, at most every tenth of the time. */
const outlineIntervalMs = (pageCount: number): number =>
  Math.min(longestMs, Math.max(shortestMs, pageCount * 5))
