import type { DeliveryState } from '../../domain/delivery/delivery.ts'
import type { CallbackProgress } from '../../domain/delivery/delivery-views.ts'
import type { JobState } from '../../domain/job/job.ts'
import { searchableUrl } from '../../domain/redact-url.ts'
import { extractOrderOf } from '../../domain/scrape/scrape-request.ts'
import type { AttemptRecord } from '../../domain/task/attempt.ts'
import type { ListedTask } from '../../domain/task/listed-task.ts'
import type { Task, TaskEnd, TaskError, TaskProgress, TaskStatus } from '../../domain/task/task.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import type { PaginationQuery } from '../../wire/pagination.ts'
import { sealListing, taskListing } from '../queries/listings.ts'
import {
  type ListedTaskRow,
  progressColumns,
  RowTexts,
  type TaskRow,
  toListedTask,
  toTask,
  writeRequest,
} from '../queries/stored-tasks.ts'
import { sealColumn } from '../secrets/sealed-columns.ts'
import { commaSeparated, type Statement, sql } from '../statement.ts'

/** A task with its progress and the state of its callback. */
export interface TaskView extends Task, TaskProgress {
  callback: CallbackProgress | null
}

export interface ListedTaskView
  extends ListedTask,
    Pick<TaskView, 'callbackUrl' | 'metadata' | 'callback'> {}

export const insertTask = (sealer: Sealer, task: Task) => insertTasks(sealer, [task])

/** Returns a row unless the task is stored already: the answer to an earlier insert may have been lost. */
export const insertTaskOnce = (sealer: Sealer, task: Task) =>
  sql<{ id: string }>`${insertTask(sealer, task)} on conflict (id) do nothing returning id`

/** One statement for many tasks, since each statement costs about as much as a row. */
export const insertTasks = (sealer: Sealer, tasks: readonly Task[]) =>
  sql<never>`
    insert into tasks
      (id, account_id, kind, formats, url, callback_url, callback_on_failure, request, listing,
       metadata, state, attempts, attempt_log, created_at_ms, job_id, position)
    values ${commaSeparated(tasks.map((task) => taskRow(sealer, task)))}`

const taskRow = (sealer: Sealer, task: Task) =>
  sql`
           (${task.id}, ${task.accountId},
            ${task.request.purpose.kind === 'callback' ? 'callback' : 'realtime'},
            ${formatsOf(task)},
            ${searchableUrl(task.request.url)},
            ${task.callbackUrl && sealColumn(sealer, 'tasks.callback_url', task, task.callbackUrl)},
            ${task.callsBackOnFailure ? 1 : 0},
            ${sealColumn(sealer, 'tasks.request', task, writeRequest(task.request))},
            ${sealListing(sealer, 'tasks', task, task.request)},
            ${task.metadata && sealColumn(sealer, 'tasks.metadata', task, JSON.stringify(task.metadata))},
            'open', 0, '[]', ${task.createdAtMs}, ${task.job?.id ?? null},
            ${task.job?.position ?? null})`

const formatsOf = ({ request }: Task): string | null => {
  const order = extractOrderOf(request)
  return order ? ` ${order.formats.join(' ')} ` : null
}

/** For the worker that runs it. The claimed queue entry says which account it belongs to. */
export const getTaskToWorkOn = (sealer: Sealer, id: string): Statement<Task & TaskProgress> =>
  sql<TaskRow & { job_state: JobState | null }>`
    select id, account_id as "accountId", kind, formats, url, callback_url, callback_on_failure, request,
           metadata, state, attempts, attempt_log, error_code, error_message, created_at_ms, started_at_ms,
           completed_at_ms, job_id, position,
           (select jobs.state from jobs where jobs.id = tasks.job_id) as job_state
    from tasks
    where id = ${id}`.map(({ job_state, ...row }) => ({
    ...toTask(sealer, row),
    ...(job_state !== null && job_state !== 'open' && { isUnwanted: true as const }),
  }))

const callbackColumns = sql`
    deliveries.state as callback_state, deliveries.attempts as callback_attempts,
    deliveries.next_attempt_at_ms, deliveries.last_status_code, deliveries.last_error,
    deliveries.delivered_at_ms`

const viewColumns = sql`
    ${progressColumns}, tasks.callback_url, tasks.callback_on_failure, tasks.request,
    tasks.metadata, ${callbackColumns}`

export const findTask = (
  sealer: Sealer,
  task: { id: string; accountId: string },
): Statement<TaskView> =>
  sql<TaskViewRow>`
    select ${viewColumns}
    from tasks
    left join deliveries on deliveries.task_id = tasks.id and deliveries.webhook_id is null
    where tasks.id = ${task.id} and tasks.account_id = ${task.accountId}`.map((row) =>
    toTaskView(sealer, row),
  )

/** Newest first. */
export const listTasks = (
  sealer: Sealer,
  accountId: string,
  { status, page, pageSize }: PaginationQuery & { status: TaskStatus | undefined },
): Statement<ListedTaskView> =>
  sql<ListedViewRow>`
    select ${progressColumns}, ${taskListing}, tasks.callback_url, tasks.metadata,
           ${callbackColumns}
    from tasks
    left join deliveries on deliveries.task_id = tasks.id and deliveries.webhook_id is null
    where ${ofAccountWithStatus(accountId, status)}
    order by tasks.created_at_ms desc, tasks.id desc
    limit ${pageSize} offset ${(page - 1) * pageSize}`
    .map((row) => toListedView(sealer, row))
    .slow()

/** The tasks of a job in order, from a position on. */
export const listTasksOfJob = (
  sealer: Sealer,
  jobId: string,
  { from, limit }: { from: number; limit: number },
): Statement<TaskView> =>
  sql<TaskViewRow>`
    select ${viewColumns}
    from tasks
    left join deliveries on deliveries.task_id = tasks.id and deliveries.webhook_id is null
    where tasks.job_id = ${jobId} and tasks.position >= ${from}
    order by tasks.position
    limit ${limit}`
    .map((row) => toTaskView(sealer, row))
    .slow()

/** The first task of each of these jobs. */
export const listFirstTasks = (sealer: Sealer, jobIds: readonly string[]): Statement<ListedTask> =>
  sql<ListedTaskRow>`
    select ${progressColumns}, ${taskListing}
    from tasks
    where tasks.job_id in (${commaSeparated(jobIds)}) and tasks.position = 0`.map((row) =>
    toListedTask(sealer, row),
  )

/** The pages of a crawl that wait to be queued, in order, with their URLs as far as they are readable. */
export const listUnqueued = (jobId: string, limit: number) =>
  sql<{ id: string; url: string }>`
    select id, url from tasks
    where job_id = ${jobId} and crawl_host is null and state = 'open'
    order by position
    limit ${limit}`

/** The position of the task with so many before it in the job; none if there is no such task. */
export const findPositionInJob = (jobId: string, offset: number): Statement<number> =>
  sql<{ position: number }>`
    select position from tasks
    where job_id = ${jobId}
    order by position
    limit 1 offset ${offset}`
    .map(({ position }) => position)
    .slow()

export const countTasks = (accountId: string, status: TaskStatus | undefined): Statement<number> =>
  sql<{ total: number }>`
    select count(*) as total from tasks where ${ofAccountWithStatus(accountId, status)}`
    .map(({ total }) => total)
    .slow()

/**
 * The single tasks of an account; those of jobs are listed with their job. Open ones are few, so they are
 * found by their queue entries.
 */
export function ofAccountWithStatus(accountId: string, status: TaskStatus | undefined) {
  const ofAccount = sql`tasks.account_id = ${accountId} and tasks.job_id is null`
  const openOnes = (started: Statement<unknown>) => sql`
    ${fewOfAccount(accountId)} and tasks.job_id is null and tasks.state = 'open'
    and tasks.id in (select work_id from queue_entries
                     where account_id = ${accountId} and lane <> 'delivery' and ${started})`
  if (status === undefined) return ofAccount
  const withStatus = {
    queued: () => openOnes(sql`started_at_ms is null`),
    processing: () => openOnes(sql`started_at_ms is not null`),
    completed: () => sql`${ofAccount} and tasks.state = 'completed'`,
    failed: () => sql`${ofAccount} and tasks.state = 'failed'`,
    cancelled: () => sql`${ofAccount} and tasks.state = 'cancelled'`,
  } satisfies Record<TaskStatus, () => Statement<unknown>>
  return withStatus[status]()
}

/**
 * The tasks of an account, of which another condition leaves few. By the index of the account, which SQLite
 * prefers for its order, every task that it ever had would be read.
 */
export const fewOfAccount = (accountId: string): Statement<unknown> =>
  sql`coalesce(tasks.account_id, '') = ${accountId}`

export const recordAttempts = (task: {
  id: string
  attempts: number
  attemptLog: readonly AttemptRecord[]
}) =>
  sql<never>`
    update tasks
    set attempts = ${task.attempts}, attempt_log = ${JSON.stringify(task.attemptLog)}
    where id = ${task.id}`

/** Returns a row if the task was open; a task that has ended stays unchanged. */
export const endTask = (
  sealer: Sealer,
  end: {
    id: string
    accountId: string
    state: TaskEnd
    attempts: number
    attemptLog: readonly AttemptRecord[]
    error: TaskError | null
    startedAtMs: number | null
    nowMs: number
    /** Under which the result answers later requests. */
    cacheKey?: string | null
  },
) =>
  sql<{ id: string }>`
    update tasks
    set state = ${end.state}, attempts = ${end.attempts},
        attempt_log = ${JSON.stringify(end.attemptLog)},
        error_code = ${end.error?.code ?? null},
        error_message = ${end.error && sealColumn(sealer, 'tasks.error_message', end, end.error.message)},
        started_at_ms = ${end.startedAtMs}, completed_at_ms = ${end.nowMs},
        cache_key = ${end.cacheKey ?? null}
    where id = ${end.id} and state = 'open'
    returning id`

/** The newest task whose result is stored under this key and is not older than `sinceMs`. */
export const findCachedTask = (asked: {
  accountId: string
  key: string
  sinceMs: number
}): Statement<string> =>
  sql<{ id: string }>`
    select id from tasks
    where account_id = ${asked.accountId} and cache_key = ${asked.key}
      and completed_at_ms >= ${asked.sinceMs}
      and exists (select 1 from results where results.task_id = tasks.id)
    order by completed_at_ms desc
    limit 1`.map(({ id }) => id)

/** Cancels a task that is still open, even while a worker runs it. */
export const cancelTask = (task: { id: string; nowMs: number }) =>
  sql<{ id: string }>`
    update tasks
    set state = 'cancelled', completed_at_ms = ${task.nowMs},
        started_at_ms = (select queue_entries.started_at_ms from queue_entries
                         where queue_entries.id = tasks.id)
    where id = ${task.id} and state = 'open'
    returning id`

/**
 * Deletes tasks that ended long ago; `idBefore` is the sortable id of that moment. A task whose result
 * is stored stays: the result must be deleted first, because its blobs do not cascade.
 */
export const pruneTasks = (limits: { idBefore: string; tasksMax: number }) =>
  sql<{ id: string }>`
    delete from tasks
    where id in (select id from tasks
                 where id < ${limits.idBefore} and state <> 'open' and job_id is null
                   and not exists (select 1 from deliveries
                                   where deliveries.task_id = tasks.id and state = 'pending')
                   and not exists (select 1 from results where results.task_id = tasks.id)
                 order by id
                 limit ${limits.tasksMax})
    returning id`

interface CallbackRow {
  callback_state: DeliveryState | null
  callback_attempts: number | null
  next_attempt_at_ms: number | null
  last_status_code: number | null
  last_error: string | null
  delivered_at_ms: number | null
}

type TaskViewRow = TaskRow & CallbackRow

type ListedViewRow = ListedTaskRow & Pick<TaskRow, 'callback_url' | 'metadata'> & CallbackRow

const toTaskView = (sealer: Sealer, row: TaskViewRow): TaskView => ({
  ...toTask(sealer, row),
  callback: toCallback(row),
})

function toListedView(sealer: Sealer, row: ListedViewRow): ListedTaskView {
  const texts = new RowTexts(sealer, row)
  const metadata = texts.open('tasks.metadata', row.metadata)
  return {
    ...toListedTask(sealer, row),
    callbackUrl: texts.open('tasks.callback_url', row.callback_url),
    metadata: metadata === null ? null : JSON.parse(metadata),
    callback: toCallback(row),
  }
}

const toCallback = (row: CallbackRow): CallbackProgress | null =>
  row.callback_state && {
    state: row.callback_state,
    attempts: row.callback_attempts ?? 0,
    nextAttemptAtMs: row.next_attempt_at_ms,
    lastStatusCode: row.last_status_code,
    lastError: row.last_error,
    deliveredAtMs: row.delivered_at_ms,
  }
