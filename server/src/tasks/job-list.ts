import type { Sealer } from '../runtime/crypto/seal.ts'
import type { Database } from '../storage/database.ts'
import {
  countJobs,
  type JobFilter,
  type JobRow,
  listJobRows,
  listJobRowsById,
  listJobUrlsAfter,
} from '../storage/queries/jobs.ts'
import type { PaginatedList, PaginationQuery } from '../wire/pagination.ts'
import { searchedMax } from './search/find-newest.ts'
import type { UrlSearch } from './search/url-search.ts'

/** Which jobs to list, newest first. */
export interface JobListQuery extends JobFilter, PaginationQuery {
  /** A part of the URL, in any case. */
  url?: string | undefined
  /** The caller disconnected. */
  signal: AbortSignal
}

export interface JobList extends PaginatedList<JobRow> {
  /** There are more than were counted or, with a part of a URL, looked at. */
  isCapped: boolean
}

interface ListParts {
  db: Database
  sealer: Sealer
  urlSearch: UrlSearch
}

/** The tasks of an account as jobs. URLs are redacted. */
export async function listJobs(parts: ListParts, query: JobListQuery): Promise<JobList> {
  const { db, sealer, urlSearch } = parts
  const { url, signal, page, pageSize, ...filter } = query
  if (url !== undefined) {
    return await urlSearch.find({
      table: 'tasks',
      part: url,
      signal,
      page,
      pageSize,
      read: (from) => db.run(listJobUrlsAfter(filter, from)),
      list: (ids) => db.run(listJobRowsById(sealer, filter, ids)),
    })
  }
  const offset = (page - 1) * pageSize
  const [items, [count = 0]] = await db.transaction([
    listJobRows(sealer, filter, { limit: pageSize, offset }),
    countJobs(filter, searchedMax + 1),
  ] as const)
  return {
    items,
    totalCount: Math.min(count, searchedMax),
    isCapped: count > searchedMax,
  }
}
