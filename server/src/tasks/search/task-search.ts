import { Failure } from '../../domain/failure.ts'
import { parseUrl } from '../../domain/parse-url.ts'
import type { DetailedTask, SearchedTask } from '../../domain/task/listed-task.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import type { Database } from '../../storage/database.ts'
import {
  countTaskRows,
  findLastOf,
  findWholeTask,
  listSearchedTasks,
  listTaskPlacesAfter,
  listTaskUrlsAfter,
  searchTaskRows,
  type TaskFilter,
  type TaskPlace,
  type TaskTraits,
} from '../../storage/queries/tasks.ts'
import { listDeliveriesOfTask, listDeliveryAttempts } from '../../storage/tables/deliveries.ts'
import type { PaginatedList, PaginationQuery } from '../../wire/pagination.ts'
import { findNewest, searchedMax } from './find-newest.ts'
import type { UrlSearch } from './url-search.ts'

/** Which tasks to find, newest first. */
export interface TaskSearchQuery extends TaskFilter, TaskTraits, PaginationQuery {
  /** A part of the URL, in any case. */
  url?: string | undefined
  /** The caller disconnected. */
  signal: AbortSignal
}

export interface TaskSearch extends PaginatedList<SearchedTask> {
  /** There are more than were counted or looked at. */
  isCapped: boolean
}

interface SearchParts {
  db: Database
  sealer: Sealer
  urlSearch: UrlSearch
}

// Reading them takes the store about a millisecond.
const rowsAtOnce = 500

const nothing: TaskSearch = { items: [], totalCount: 0, isCapped: false }

/** Finds tasks of every kind of an account. */
export async function searchTasks(
  { db, sealer, urlSearch }: SearchParts,
  { url, signal, host, code, page, pageSize, ...given }: TaskSearchQuery,
): Promise<TaskSearch> {
  if (code !== undefined && (given.status ?? 'failed') !== 'failed') return nothing
  // Only a failed task has a code.
  const filter = code === undefined ? given : { ...given, status: 'failed' as const }
  const traits = { host: host && canonicalHost(host), code }
  const list = (ids: readonly string[]) => db.run(listSearchedTasks(sealer, filter, ids))
  if (url !== undefined) {
    return await urlSearch.find({
      table: 'tasks',
      part: url,
      signal,
      page,
      pageSize,
      read: (from) => db.run(listTaskUrlsAfter({ filter, traits }, from)),
      list,
    })
  }
  if (host !== undefined || code !== undefined) {
    const { ids, ...counts } = await findNewest<TaskPlace>({
      page,
      pageSize,
      signal,
      rowsAtOnce,
      read: (from) => db.run(listTaskPlacesAfter({ filter, traits }, from)),
      match: (rows) => rows.filter(({ isCandidate }) => isCandidate === 1).map(({ id }) => id),
    })
    return { items: ids.length > 0 ? await list(ids) : [], ...counts }
  }
  const offset = (page - 1) * pageSize
  const [count = 0] = await db.run(countTaskRows(filter, searchedMax + 1))
  const totalCount = Math.min(count, searchedMax)
  const items = offset < totalCount ? await readPage() : []
  return { items, totalCount, isCapped: count > searchedMax }

  /** A deep page is reached in steps, as finding its place takes long. */
  async function readPage(): Promise<SearchedTask[]> {
    let after: Parameters<typeof searchTaskRows>[2]['after']
    let left = offset
    for (; left >= rowsAtOnce; left -= rowsAtOnce) {
      signal.throwIfAborted()
      ;[after] = await db.run(findLastOf(filter, { after, count: rowsAtOnce }))
      if (!after) return []
    }
    return await db.run(searchTaskRows(sealer, filter, { after, limit: pageSize, offset: left }))
  }
}

/** Throws if the account has no such task. */
export async function getDetailedTask(
  { db, sealer }: Omit<SearchParts, 'urlSearch'>,
  accountId: string,
  id: string,
): Promise<DetailedTask> {
  const [[task], deliveries] = await db.transaction([
    findWholeTask(sealer, { id, accountId }),
    listDeliveriesOfTask({ taskId: id, accountId }),
  ] as const)
  if (!task) throw new Failure('NOT_FOUND', 'There is no such task.')
  if (deliveries.length === 0) return { ...task, deliveries: [] }
  // A task has a callback and one event for each of at most ten webhooks.
  const logs = await db.transaction(
    deliveries.map((delivery) => listDeliveryAttempts(sealer, { id: delivery.id, accountId })),
  )
  return {
    ...task,
    deliveries: deliveries.map((delivery, index) => ({
      ...delivery,
      attemptLog: logs[index] ?? [],
    })),
  }
}

/** A name as URLs have it, such as the Punycode form of an international one. */
const canonicalHost = (host: string): string => parseUrl(`http://${host}`)?.host ?? host
