import { Failure } from '../domain/failure.ts'
import type { PreviewFormat } from '../domain/task/preview.ts'
import type { TaskStatus } from '../domain/task/task.ts'
import type { Queue } from '../queue/queue.ts'
import { findAccountOfTask } from '../storage/tables/accounts.ts'
import { findCallback } from '../storage/tables/deliveries.ts'
import {
  countTasks,
  findTask,
  type ListedTaskView,
  listTasks,
  type TaskView,
} from '../storage/tables/tasks.ts'
import { extractionJson } from '../wire/extract/to-responses.ts'
import { type PaginatedList, type PaginationQuery, withTotal } from '../wire/pagination.ts'
import type { LinkedPart } from '../wire/tasks/links.ts'
import { endWork } from './abandon.ts'
import type { FinishedTask } from './results/finished-task.ts'
import {
  expired,
  noFile,
  noScreenshot,
  type ResultStore,
  type ResultStoreParts,
  realtimeForm,
} from './results/result-store.ts'
import { getDetailedTask, searchTasks, type TaskSearchQuery } from './search/task-search.ts'
import type { UrlSearch } from './search/url-search.ts'
import type { Settler } from './settle.ts'

interface AskedPreview {
  accountId: string
  id: string
  format: PreviewFormat
  disconnected: AbortSignal
}

export interface TaskOperationsParts extends ResultStoreParts {
  urlSearch: UrlSearch
  kept: ResultStore
  queue: Queue
  settler: Settler
  resend(delivery: { id: string; accountId: string; url: string }): Promise<void>
}

/** Reads and changes accepted tasks. A task of another account (tenant) is not found. */
export function createTaskOperations(parts: TaskOperationsParts) {
  const { db, sealer, queue, settler, links, kept } = parts

  return {
    get: getTask,
    async list(
      accountId: string,
      { status, ...page }: PaginationQuery & { status: TaskStatus | undefined },
    ): Promise<PaginatedList<ListedTaskView>> {
      await queue.writeWorkOf(accountId)
      const items = await db.run(listTasks(sealer, accountId, { status, ...page }))
      return withTotal(items, page, () => db.run(countTasks(accountId, status)))
    },
    /** The task as it ended, in the form that a realtime caller gets. */
    async getResult(accountId: string, id: string, signal: AbortSignal): Promise<FinishedTask> {
      const task = await getTask(accountId, id)
      if (task.state === 'open') throw new Failure('CONFLICT', 'The task has not ended yet.')
      if (task.state === 'cancelled') throw new Failure('CANCELLED', 'The task was cancelled.')
      if (task.state === 'failed') {
        await kept.require(task)
        return { task, result: null }
      }
      const result = await kept.read(task, realtimeForm(task), { signal })
      if (!result) throw expired()
      return { task, result }
    },
    async getScreenshot(accountId: string, id: string, disconnected: AbortSignal) {
      const task = await getTask(accountId, id)
      // Without this, a task without screenshot would answer CONFLICT, as if one were to come.
      if (!task.request.options.screenshot.use) throw noScreenshot()
      if (task.state === 'open') throw new Failure('CONFLICT', 'The task has not ended yet.')
      if (task.state !== 'completed') throw noScreenshot()
      return kept.getScreenshot(task, disconnected)
    },
    async getFile(accountId: string, id: string, disconnected: AbortSignal) {
      const task = await getTask(accountId, id)
      if (task.state === 'open') throw new Failure('CONFLICT', 'The task has not ended yet.')
      if (task.state !== 'completed') throw noFile()
      return kept.getFile(task, disconnected)
    },
    /** An HTML document of a stranger, to be shown in a sandbox only. */
    async getPreview({ accountId, id, format, disconnected }: AskedPreview) {
      return kept.getPreview(await getCompleted(accountId, id), format, disconnected)
    },
    /** What the target answered, without the content. */
    async getPageFacts(accountId: string, id: string, disconnected: AbortSignal) {
      return kept.getFacts(await getCompleted(accountId, id), disconnected)
    },
    /** The account whose screenshot or file a signed link opens; undefined when the link is not valid. */
    async findLinkOwner(part: LinkedPart, id: string, signature: string) {
      if (!links.isSigned(part, id, signature)) return undefined
      const [owner] = await db.run(findAccountOfTask(id))
      return owner?.isEnabled ? owner : undefined
    },
    async cancel(accountId: string, id: string) {
      const task = await getTask(accountId, id)
      if (!(await settler.cancel(task, { isReported: true }))) {
        throw new Failure('CONFLICT', 'The task has ended already.')
      }
      await endWork(parts, id)
    },
    async redeliver(accountId: string, id: string) {
      const task = await getTask(accountId, id)
      const [callback] = await db.run(findCallback({ taskId: id, accountId }))
      if (!callback || task.callbackUrl === null) throw nothingToRedeliver()
      await kept.require(task)
      await parts.resend({ id: callback.id, accountId, url: task.callbackUrl })
    },
    /** Throws `EXPIRED` when the result is no longer kept. */
    async requireResultKept(accountId: string, id: string) {
      await kept.require(await getTask(accountId, id))
    },
    /** Tasks of every kind, pages of jobs as well. */
    search: (query: TaskSearchQuery) =>
      queue.writeWorkOf(query.accountId).then(() => searchTasks(parts, query)),
    getDetails: (accountId: string, id: string) =>
      onceWritten(queue, id, () => getDetailedTask(parts, accountId, id)),
    /** The object of an extraction in `/v1`, which calls it a job. */
    async getExtraction(accountId: string, id: string, signal: AbortSignal) {
      const task = await getTask(accountId, id)
      const isCompleted = task.state === 'completed'
      const result = isCompleted ? await kept.read(task, 'extraction', { signal }) : undefined
      return extractionJson(task, result ?? null)
    },
  }

  async function getCompleted(accountId: string, id: string): Promise<TaskView> {
    const task = await getTask(accountId, id)
    if (task.state === 'open') throw new Failure('CONFLICT', 'The task has not ended yet.')
    if (task.state !== 'completed') throw new Failure('NOT_FOUND', 'This task has no content.')
    return task
  }

  function getTask(accountId: string, id: string): Promise<TaskView> {
    return onceWritten(queue, id, async () => {
      // Only UUIDs reach the store: PostgreSQL rejects some strings, and no other id exists.
      const [task] = uuid.test(id) ? await db.run(findTask(sealer, { id, accountId })) : []
      if (!task) throw new Failure('NOT_FOUND', 'There is no such task.')
      return task
    })
  }
}

/** Reads a task; one that this process began and has not written yet is written first. */
async function onceWritten<Read>(
  queue: Queue,
  id: string,
  read: () => Promise<Read>,
): Promise<Read> {
  try {
    return await read()
  } catch (error) {
    const isMissing = error instanceof Failure && error.code === 'NOT_FOUND'
    if (isMissing && (await queue.writeWork(id))) return read()
    throw error
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const nothingToRedeliver = () =>
  new Failure('CONFLICT', 'There is no callback to send again: none was due, or not yet.')
