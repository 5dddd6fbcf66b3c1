import { Failure } from '../domain/failure.ts'
import type { PaginatedList, PaginationQuery } from '../domain/pagination.ts'
import { Semaphore } from '../runtime/semaphore.ts'

/** Counting and searching end here, so that no list takes long. */
export const searchedMax = 10_000

/** A request may have 256 KiB, and whole requests are decrypted. */
const rowsAtOnce = 50

/** Decrypting takes the event loop's time, so one search is made at a time. */
const searching = new Semaphore({ atOnceMax: 1, waitingMax: 20 })

/** One page of what was found. */
interface FoundRows<Row> extends PaginatedList<Row> {
  /** There are more rows than were looked at. */
  isCapped: boolean
}

/**
 * Finds rows by a part of their URL. Queries of URLs are stored encrypted only, as they may hold tokens,
 * so the store cannot search them: the newest rows are decrypted, a limited number of them. Rows of other
 * pages are only counted, since thousands of whole requests would not fit into memory.
 */
export async function searchRows<Row>(
  read: (from: { after: Row | undefined; limit: number }) => Promise<Row[]>,
  isMatch: (row: Row) => boolean,
  { page, pageSize }: PaginationQuery,
): Promise<FoundRows<Row>> {
  const offset = (page - 1) * pageSize
  const done = await searching.run(async () => {
    const items: Row[] = []
    let totalCount = 0
    let after: Row | undefined
    for (let seen = 0; seen < searchedMax; seen += rowsAtOnce) {
      const rows = await read({ after, limit: rowsAtOnce })
      for (const row of rows.filter(isMatch)) {
        if (totalCount >= offset && items.length < pageSize) items.push(row)
        totalCount += 1
      }
      if (rows.length < rowsAtOnce) return { items, totalCount, isCapped: false }
      after = rows.at(-1)
    }
    return { items, totalCount, isCapped: true }
  })
  if (!done) throw tooManySearches()
  return done.result
}

const tooManySearches = () =>
  new Failure('RATE_LIMITED', 'Too many lists are being searched at once.', {
    retryAfterSeconds: 1,
  })
