import type { PaginatedList, PaginationQuery } from '../domain/pagination.ts'
import { foldCase } from '../domain/url-part.ts'
import type { ListedTable, UrlRow } from '../storage/listings.ts'
import type { UrlMatcher } from './url-matcher.ts'

/** Counting and searching end here, so that no list takes long. */
export const searchedMax = 10_000

/** Rows of an earlier version have whole requests, of 256 KiB at most. */
const rowsAtOnce = 50

export interface UrlSearchOrder<Item> extends PaginationQuery {
  table: ListedTable
  /** A part of the URL, in any case. */
  part: string
  /** The caller disconnected. */
  signal: AbortSignal
  /** What is searched, newest first. */
  read(from: { after: UrlRow | undefined; limit: number }): Promise<UrlRow[]>
  /** The items of one page, by the ids of those that were found. */
  list(ids: readonly string[]): Promise<Item[]>
}

interface UrlSearchResult<Item> extends PaginatedList<Item> {
  /** There are more rows than were looked at. */
  isCapped: boolean
}

/**
 * Finds rows by a part of their URL. URLs are stored encrypted, as they may hold tokens, so the store
 * cannot search them: a limited number of the newest rows is decrypted. A search ends with its caller.
 */
export class UrlSearch {
  readonly #matcher: Pick<UrlMatcher, 'match'>

  constructor(matcher: Pick<UrlMatcher, 'match'>) {
    this.#matcher = matcher
  }

  async find<Item>(order: UrlSearchOrder<Item>): Promise<UrlSearchResult<Item>> {
    const { ids, ...counts } = await this.#findIds(order)
    return { items: ids.length > 0 ? await order.list(ids) : [], ...counts }
  }

  async #findIds(order: UrlSearchOrder<unknown>) {
    const { table, signal, page, pageSize } = order
    const part = foldCase(order.part)
    const offset = (page - 1) * pageSize
    const ids: string[] = []
    let totalCount = 0
    let after: UrlRow | undefined
    for (let seen = 0; seen < searchedMax; seen += rowsAtOnce) {
      signal.throwIfAborted()
      const rows = await order.read({ after, limit: rowsAtOnce })
      signal.throwIfAborted()
      const candidates = rows.filter(({ isCandidate }) => isCandidate === 1)
      for (const id of await this.#matcher.match({ table, part, rows: candidates })) {
        if (totalCount >= offset && ids.length < pageSize) ids.push(id)
        totalCount += 1
      }
      if (rows.length < rowsAtOnce) return { ids, totalCount, isCapped: false }
      after = rows.at(-1)
    }
    return { ids, totalCount, isCapped: true }
  }
}
