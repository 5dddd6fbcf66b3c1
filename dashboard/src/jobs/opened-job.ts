import { queryOptions } from '@tanstack/react-query'
import { type Job, NotFoundError, ValidationError } from '@trawl/sdk'
import { trawl } from '../client.ts'
import { type OpenedJob, toShownJob } from './shown-job.ts'

/** A job by its id; null where there is none. */
export const openedJobQuery = (id: string) =>
  queryOptions({
    queryKey: ['job', id, 'head'],
    queryFn: async ({ signal }): Promise<OpenedJob | null> => {
      try {
        const job = await trawl.getJob(id, { signal })
        return { ...toShownJob(job), ...unlikeOthers, ...(await ownPart[job.kind](id, { signal })) }
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
