import { Failure } from '../domain/failure.ts'
import { type PageOf, type PageRequest, totalOf } from '../domain/pages.ts'
import { resultExpiresAtMs, type Task, type TaskProgress, type TaskStatus } from '../domain/task.ts'
import type { ContentThreads } from '../formats/content-threads.ts'
import type { Queue } from '../queue/queue.ts'
import { Turns } from '../runtime/turns.ts'
import type { Database } from '../storage/database.ts'
import { findCallback, summariseDeliveries } from '../storage/deliveries.ts'
import { countTasks, findTask, listTasks, type TaskView } from '../storage/tasks.ts'
import { endWork } from './abandon.ts'
import { type ContentForm, type FinishedTask, realtimeForm } from './finished-task.ts'
import type { Settler } from './settle.ts'
import { readResult } from './stored-result.ts'
import { jobBody } from './task-bodies.ts'

/** The tasks of one account after they were accepted; another account's is as good as none. */
export interface Tracking {
  get(accountId: string, id: string): Promise<TaskView>
  list(
    accountId: string,
    asked: PageRequest & { status: TaskStatus | undefined },
  ): Promise<PageOf<TaskView>>
  /** The task as it ended, in the form that a realtime caller gets. */
  getResult(accountId: string, id: string): Promise<FinishedTask>
  cancel(accountId: string, id: string): Promise<void>
  redeliver(accountId: string, id: string): Promise<void>
  /** Refuses with `EXPIRED` what can no longer be told. */
  requireResultKept(accountId: string, id: string): Promise<void>
  /** The job object of `/v1`, as JSON. */
  getJob(accountId: string, id: string): Promise<Uint8Array>
}

export interface TrackingParts {
  db: Database
  queue: Queue
  contents: ContentThreads
  settler: Settler
  resultsKeptMs: number
  resend(delivery: { id: string; accountId: string; url: string }): Promise<void>
}

export function createTracking(parts: TrackingParts): Tracking {
  const { db, settler } = parts
  const reading = new Turns({ atOnceMax: readAtOnceMax, waitingMax: readersWaitingMax })

  return {
    get: getTask,
    async list(accountId, { status, ...page }) {
      const items = await db.run(listTasks(accountId, { status, ...page }))
      const totalCount = totalOf(items.length, page)
      if (totalCount !== undefined) return { items, totalCount }
      const [counted = 0] = await db.run(countTasks(accountId, status))
      return { items, totalCount: counted }
    },
    async getResult(accountId, id) {
      const task = await getTask(accountId, id)
      if (task.state === 'open') throw new Failure('CONFLICT', 'The task has not ended yet.')
      if (task.state === 'cancelled') throw new Failure('CANCELLED', 'The task was cancelled.')
      await requireKept(task)
      if (task.state === 'failed') return { task, result: null }
      const result = await read(task, realtimeForm(task))
      if (!result) throw expired()
      return { task, result }
    },
    async cancel(accountId, id) {
      const task = await getTask(accountId, id)
      if (!(await settler.cancel(task, { isTold: true }))) {
        throw new Failure('CONFLICT', 'The task has ended already.')
      }
      await endWork(parts, id)
    },
    async redeliver(accountId, id) {
      const task = await getTask(accountId, id)
      const [callback] = await db.run(findCallback({ taskId: id, accountId }))
      if (!callback || task.callbackUrl === null) throw nothingToRedeliver()
      await requireKept(task)
      await parts.resend({ id: callback.id, accountId, url: task.callbackUrl })
    },
    async requireResultKept(accountId, id) {
      await requireKept(await getTask(accountId, id))
    },
    async getJob(accountId, id) {
      const task = await getTask(accountId, id)
      const isKept = task.state === 'completed' && !(await isExpired(task))
      const result = isKept ? await read(task, 'embedded') : undefined
      return jobBody({ task, result: result ?? null })
    },
  }

  async function getTask(accountId: string, id: string): Promise<TaskView> {
    // What cannot be an id of ours need not be looked for, and may not be sent to a store as it is.
    const [task] = uuid.test(id) ? await db.run(findTask({ id, accountId })) : []
    if (!task) throw new Failure('NOT_FOUND', 'There is no such task.')
    return task
  }

  /** A result may take a hundred megabytes while it is read, so not everyone reads at once. */
  async function read(task: TaskView, form: ContentForm) {
    const turn = await reading.run(() => readResult(parts, task, form))
    if (!turn) throw tooManyReaders()
    return turn.result
  }

  async function isExpired(task: Task & TaskProgress): Promise<boolean> {
    const [deliveries] = await db.run(summariseDeliveries(task.id))
    return db.nowMs() >= resultExpiresAtMs(task, deliveries, parts.resultsKeptMs)
  }

  async function requireKept(task: Task & TaskProgress): Promise<void> {
    if (await isExpired(task)) throw expired()
  }
}

const readAtOnceMax = 8
const readersWaitingMax = 200

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const expired = () => new Failure('EXPIRED', 'The result is no longer kept.')

const tooManyReaders = () =>
  new Failure('RATE_LIMITED', 'Too many results are being read at once.', { retryAfterSeconds: 1 })

const nothingToRedeliver = () =>
  new Failure('CONFLICT', 'There is no callback to send again: none was due, or not yet.')
