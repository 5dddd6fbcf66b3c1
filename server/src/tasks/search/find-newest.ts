import type { PaginationQuery } from '../../wire/pagination.ts'

/** Counting and searching end here, so that no list takes long. */
export const searchedMax = 10_000

/** Where a row stands in a list, newest first. */
interface Place {
  id: string
  createdAtMs: number
}

/** From a place on, that many. */
export interface From<Row extends Place> {
  after: Row | undefined
  limit: number
}

export interface NewestOrder<Row extends Place> extends PaginationQuery {
  /** The caller disconnected. */
  signal: AbortSignal
  /** Few enough that others who read lists wait a few milliseconds at most. */
  rowsAtOnce: number
  read(from: From<Row>): Promise<Row[]>
  /** The ids of those that are asked for. */
  match(rows: Row[]): string[] | Promise<string[]>
}

interface FoundIds {
  /** Of one page. */
  ids: string[]
  totalCount: number
  /** There are more rows than were looked at. */
  isCapped: boolean
}

/**
 * Looks for what no index serves among a limited number of the newest rows, some at a time. It ends with
 * its caller.
 */
export async function findNewest<Row extends Place>(order: NewestOrder<Row>): Promise<FoundIds> {
  const { signal, rowsAtOnce, page, pageSize } = order
  const offset = (page - 1) * pageSize
  const ids: string[] = []
  let totalCount = 0
  let after: Row | undefined
  for (let seen = 0; seen < searchedMax; seen += rowsAtOnce) {
    signal.throwIfAborted()
    const rows = await order.read({ after, limit: rowsAtOnce })
    signal.throwIfAborted()
    for (const id of await order.match(rows)) {
      if (totalCount >= offset && ids.length < pageSize) ids.push(id)
      totalCount += 1
    }
    if (rows.length < rowsAtOnce) return { ids, totalCount, isCapped: false }
    after = rows.at(-1)
  }
  return { ids, totalCount, isCapped: true }
}
