import { Failure } from '../domain/failure.ts'
import type { ListedJob } from '../domain/job/job.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import type { Database } from '../storage/database.ts'
import {
  countJobsListed,
  findListedJob,
  type JobsFilter,
  listJobs as listJobRows,
  listJobsById,
  listUrlsOfJobsAfter,
} from '../storage/queries/jobs.ts'
import { searchedMax } from '../tasks/search/find-newest.ts'
import type { UrlSearch } from '../tasks/search/url-search.ts'
import { type PaginationQuery, withTotal } from '../wire/pagination.ts'

/** Which jobs to list, newest first. */
export interface JobsQuery extends JobsFilter {
  /** A part of the URL, in any case. */
  urlPart?: string | undefined
  /** The caller disconnected. */
  signal: AbortSignal
}

interface ListParts {
  db: Database
  sealer: Sealer
  urlSearch: UrlSearch
}

export type AllJobs = ReturnType<typeof createAllJobs>

/** Batches, crawls and maps alike, without what only one kind has. */
export const createAllJobs = (parts: ListParts) => ({
  async get(accountId: string, id: string): Promise<ListedJob> {
    const [job] = await parts.db.run(findListedJob(parts.sealer, { id, accountId }))
    if (job) return job
    throw new Failure('NOT_FOUND', 'There is no batch, crawl or map with this id.')
  },
  list: (query: JobsQuery, page: PaginationQuery) => listJobs(parts, query, page),
})

/** The list is capped if there are more than were counted or, with a part of a URL, looked at. */
export async function listJobs(
  { db, sealer, urlSearch }: ListParts,
  { urlPart, signal, ...filter }: JobsQuery,
  page: PaginationQuery,
) {
  if (urlPart !== undefined) {
    return await urlSearch.find({
      table: 'jobs',
      ...page,
      part: urlPart,
      signal,
      read: (from) => db.run(listUrlsOfJobsAfter(filter, from)),
      list: (ids) => db.run(listJobsById(sealer, filter, ids)),
    })
  }
  const items = await db.run(listJobRows(sealer, filter, page))
  let isCapped = false
  const listed = await withTotal(items, page, async () => {
    const [counted = 0] = await db.run(countJobsListed(filter, searchedMax + 1))
    isCapped = counted > searchedMax
    return [Math.min(counted, searchedMax)]
  })
  return { ...listed, isCapped }
}
