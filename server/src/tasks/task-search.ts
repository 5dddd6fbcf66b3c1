import { Failure } from '../domain/failure.ts'
import type { PaginatedList, PaginationQuery } from '../domain/pagination.ts'
import type { Task, TaskProgress } from '../domain/task/task.ts'
import type { Sealer } from '../runtime/seal.ts'
import type { Database } from '../storage/database.ts'
import {
  type DeliveryOfTask,
  type LoggedAttempt,
  listDeliveriesOfTask,
  listDeliveryAttempts,
} from '../storage/deliveries-table.ts'
import {
  countTaskRows,
  findWholeTask,
  listSearchedTasks,
  listTaskUrlsAfter,
  type SearchedTask,
  searchTaskRows,
  type TaskFilter,
  type TaskOrigin,
  type TaskTraits,
} from '../storage/task-queries.ts'
import { searchedMax, type UrlSearch } from './url-search.ts'

export type { SearchedTask }

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

export interface DetailedTask extends Task, TaskProgress, TaskOrigin {
  deliveries: (DeliveryOfTask & { attemptLog: LoggedAttempt[] })[]
}

interface SearchParts {
  db: Database
  sealer: Sealer
  urlSearch: UrlSearch
}

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
  if (url !== undefined) {
    return await urlSearch.find({
      table: 'tasks',
      part: url,
      signal,
      page,
      pageSize,
      read: (from) => db.run(listTaskUrlsAfter({ filter, traits }, from)),
      list: (ids) => db.run(listSearchedTasks(sealer, filter, ids)),
    })
  }
  const offset = (page - 1) * pageSize
  const [count] = await db.run(countTaskRows({ filter, traits }, searchedMax + 1))
  const totalCount = Math.min(count?.matching ?? 0, searchedMax)
  const items =
    offset < totalCount
      ? await db.run(
          searchTaskRows(sealer, { filter, traits }, { limit: pageSize, offset, searchedMax }),
        )
      : []
  return { items, totalCount, isCapped: (count?.seen ?? 0) > searchedMax }
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
const canonicalHost = (host: string): string => URL.parse(`http://${host}`)?.host ?? host
