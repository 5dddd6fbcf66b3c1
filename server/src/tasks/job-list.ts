import { Failure } from '../domain/failure.ts'
import type { PaginatedList, PaginationQuery } from '../domain/pagination.ts'
import { redactUrl } from '../domain/redact-url.ts'
import type { Sealer } from '../runtime/seal.ts'
import { Semaphore } from '../runtime/semaphore.ts'
import type { Database } from '../storage/database.ts'
import {
  countJobs,
  type JobFilter,
  type JobPlace,
  type JobRow,
  listJobRows,
  listJobRowsAfter,
} from '../storage/job-queries.ts'

/** Which jobs to list, newest first. */
export interface JobListQuery extends JobFilter, PaginationQuery {
  /** A part of the URL, in any case. */
  url?: string | undefined
}

export interface JobList extends PaginatedList<JobRow> {
  /** There are more than were counted or, with a part of a URL, looked at. */
  isCapped: boolean
}

/** Counting and searching end here, so that no list takes long. */
const listedJobsMax = 10_000

interface ListParts {
  db: Database
  sealer: Sealer
}

/** The tasks of an account as jobs. URLs are redacted. */
export async function listJobs(parts: ListParts, query: JobListQuery): Promise<JobList> {
  const { url, page, pageSize, ...filter } = query
  const offset = (page - 1) * pageSize
  if (url !== undefined) {
    const done = await searching.run(() => searchJobs(parts, filter, url.toLowerCase()))
    if (!done) throw tooManySearches()
    const { items, isCapped } = done.result
    return { items: items.slice(offset, offset + pageSize), totalCount: items.length, isCapped }
  }
  const { db, sealer } = parts
  const [items, [count = 0]] = await db.transaction([
    listJobRows(sealer, filter, { limit: pageSize, offset }),
    countJobs(filter, listedJobsMax + 1),
  ] as const)
  return {
    items: items.map(redacted),
    totalCount: Math.min(count, listedJobsMax),
    isCapped: count > listedJobsMax,
  }
}

/** A request may have 256 KiB, and whole requests are decrypted. */
const rowsAtOnce = 50

/** Decrypting takes the event loop's time, so one search is made at a time. */
const searching = new Semaphore({ atOnceMax: 1, waitingMax: 20 })

/**
 * Finds jobs by a part of their URL. Queries of URLs are stored encrypted only, as they may hold tokens,
 * so the store cannot search them: the newest jobs are decrypted, a limited number of them.
 */
async function searchJobs(
  { db, sealer }: ListParts,
  filter: JobFilter,
  part: string,
): Promise<{ items: JobRow[]; isCapped: boolean }> {
  const items: JobRow[] = []
  let after: JobPlace | undefined
  for (let seen = 0; seen < listedJobsMax; seen += rowsAtOnce) {
    const rows = await db.run(listJobRowsAfter(sealer, filter, { after, limit: rowsAtOnce }))
    items.push(...rows.map(redacted).filter(({ url }) => url.toLowerCase().includes(part)))
    if (rows.length < rowsAtOnce) return { items, isCapped: false }
    after = rows.at(-1)
  }
  return { items, isCapped: true }
}

const tooManySearches = () =>
  new Failure('RATE_LIMITED', 'Too many lists are being searched at once.', {
    retryAfterSeconds: 1,
  })

const redacted = (row: JobRow): JobRow => ({ ...row, url: redactUrl(row.url) })
