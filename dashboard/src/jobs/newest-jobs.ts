import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { trawl } from '../client.ts'
import type { JobFilters } from './job-filters.ts'
import { type ListOfKind, mergeNewest } from './merge-newest.ts'
import { jobKinds, listedBatch, listedCrawl, listedMap, type ShownJob } from './shown-job.ts'

const listLength = 50

export const newestJobsQuery = (filters: JobFilters) =>
  queryOptions({
    queryKey: ['jobs', filters],
    queryFn: async ({ signal }) => {
      const kinds = filters.kind ? [filters.kind] : jobKinds
      const lists = await Promise.all(kinds.map((kind) => readList(kind, filters, signal)))
      return mergeNewest(lists, listLength)
    },
    placeholderData: keepPreviousData,
  })

async function readList(
  kind: ShownJob['kind'],
  { status, before }: JobFilters,
  signal: AbortSignal,
): Promise<ListOfKind> {
  const query = { status, end_date: before, page_size: listLength }
  switch (kind) {
    case 'batch': {
      const { jobs, page_count } = await trawl.listBatches(query, { signal })
      return { jobs: jobs.map(listedBatch), hasMore: page_count > 1 }
    }
    case 'crawl': {
      const { jobs, page_count } = await trawl.listCrawls(query, { signal })
      return { jobs: jobs.map(listedCrawl), hasMore: page_count > 1 }
    }
    case 'map': {
      const { jobs, page_count } = await trawl.listMaps(query, { signal })
      return { jobs: jobs.map(listedMap), hasMore: page_count > 1 }
    }
  }
}
