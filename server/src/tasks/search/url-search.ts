import { foldCase } from '../../domain/url-part.ts'
import type { ListedTable, UrlRow } from '../../storage/queries/listings.ts'
import type { PaginatedList, PaginationQuery } from '../../wire/pagination.ts'
import { type From, findNewest } from './find-newest.ts'
import type { UrlMatcher } from './url-matcher.ts'

/** Rows of an earlier version have whole requests, of 256 KiB at most. */
const rowsAtOnce = 50

export interface UrlSearchOrder<Item> extends PaginationQuery {
  table: ListedTable
  /** A part of the URL, in any case. */
  part: string
  /** The caller disconnected. */
  signal: AbortSignal
  /** What is searched, newest first. */
  read(from: From<UrlRow>): Promise<UrlRow[]>
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
    const part = foldCase(order.part)
    const { ids, ...counts } = await findNewest({
      ...order,
      rowsAtOnce,
      match: (rows) => {
        const candidates = rows.filter(({ isCandidate }) => isCandidate === 1)
        return this.#matcher.match({ table: order.table, part, rows: candidates })
      },
    })
    return { items: ids.length > 0 ? await order.list(ids) : [], ...counts }
  }
}
