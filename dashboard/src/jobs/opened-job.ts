import { queryOptions } from '@tanstack/react-query'
import { NotFoundError, ValidationError } from '@trawl/sdk'
import { trawl } from '../client.ts'
import {
  jobKinds,
  type OpenedJob,
  openedBatch,
  openedCrawl,
  openedMap,
  type ShownJob,
} from './shown-job.ts'

const keyOf = (id: string) => ['job', id, 'head']

/** A job by its id, and by its kind where an address has it; null where there is none. */
export const openedJobQuery = (id: string, given: string | null) =>
  queryOptions({
    queryKey: keyOf(id),
    queryFn: async ({ client, signal }): Promise<OpenedJob | null> => {
      const known = client.getQueryData<OpenedJob | null>(keyOf(id))?.kind ?? given
      const likelyFirst = jobKinds.toSorted((one, other) => +(other === known) - +(one === known))
      for (const kind of likelyFirst) {
        try {
          return await readers[kind](id, { signal })
        } catch (error) {
          // An id does not say what it is of; an address may have anything in its place.
          if (!(error instanceof NotFoundError || error instanceof ValidationError)) throw error
        }
      }
      return null
    },
  })

type ReadJob = (id: string, options: { signal: AbortSignal }) => Promise<OpenedJob>

/** Results are not read with a job: they have their own list. */
const withoutResults = { page_size: 1, contents: 'none' } as const

const readers: Record<ShownJob['kind'], ReadJob> = {
  batch: async (id, options) => openedBatch(await trawl.getBatch(id, withoutResults, options)),
  crawl: async (id, options) => openedCrawl(await trawl.getCrawl(id, withoutResults, options)),
  map: async (id, options) => openedMap(await trawl.getMap(id, options)),
}
