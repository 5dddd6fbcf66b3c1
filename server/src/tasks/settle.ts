import { type PreloadedDelivery, post, webhooksFor } from '../delivery/outbox.ts'
import { planDeliveries } from '../domain/delivery/plan-deliveries.ts'
import type { Page } from '../domain/scrape/page.ts'
import {
  isAwaited,
  type Task,
  type TaskEnd,
  type TaskError,
  type TaskProgress,
} from '../domain/task/task.ts'
import { dayTotalsOf, tokensOf } from '../domain/task/usage-statistics.ts'
import type { EventReporter } from '../events/event-hub.ts'
import type { Lease } from '../queue/lease.ts'
import { commitEntries, type PendingEntries } from '../queue/pending-entries.ts'
import type { LaneProducer } from '../queue/queue.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import type { KeyedDigest } from '../runtime/crypto/keyed-digest.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import type { Database } from '../storage/database.ts'
import { isCommitted, notify, type Statement } from '../storage/statement.ts'
import { insertBlob } from '../storage/tables/blobs.ts'
import { addToDay, rollupSlots } from '../storage/tables/day-rollups.ts'
import { countTaskOfJob } from '../storage/tables/jobs.ts'
import { removeUnwantedEntry } from '../storage/tables/queue-entries.ts'
import { insertResult } from '../storage/tables/results.ts'
import { cancelTask, endTask, insertTask } from '../storage/tables/tasks.ts'
import { callbackBody } from '../wire/tasks/deliveries.ts'
import type { TaskLinks } from '../wire/tasks/links.ts'
import type { EndedTasksOfJobs } from './job-of-task.ts'
import { cacheKeyOf } from './results/cache-key.ts'
import type { FinishedTask } from './results/finished-task.ts'
import type { ActivityRollups } from './usage/activity-rollups.ts'
import { endedChannel, type WaitingCallers } from './waiting-callers.ts'

export interface SettleParts {
  db: Database
  sealer: Sealer
  digest: KeyedDigest
  deliveries: LaneProducer<PreloadedDelivery>
  callers: WaitingCallers
  links: TaskLinks
  rollups: Pick<ActivityRollups, 'count'>
  events: EventReporter
  endedTasks: Pick<EndedTasksOfJobs, 'report'>
}

/** Ends tasks: result, state, deliveries (transactional outbox) and statistics are one commit. */
export class Settler {
  readonly #parts: SettleParts

  constructor(parts: SettleParts) {
    this.#parts = parts
  }

  /**
   * `page` is what a completed task fetched, `also` is written in the same commit. Returns false when the lease was lost (fencing token):
   * another worker has the task, and nothing was written.
   */
  async end(
    lease: Lease,
    finished: FinishedTask,
    { page, also = [] }: { page?: PageBytes | undefined; also?: readonly Statement<unknown>[] },
  ): Promise<boolean> {
    const { task } = finished
    const posting = await this.#post(finished, task.state as TaskEnd)
    return this.#commit(posting, finished, async () => {
      crashPoint('before_result_commit')
      const isWritten = await lease.settle([
        ...endStatements(this.#parts, finished, page),
        ...posting.statements,
        ...also,
        ...this.#count(task),
        ...this.#notice(task),
      ])
      crashPoint('after_result_commit')
      return isWritten
    })
  }

  /**
   * Stores a new task as completed. Returns false if a statement of `first` that is required did not
   * hold, and nothing was written.
   */
  async completeAtOnce(
    task: Task & TaskProgress,
    first: readonly Statement<unknown>[],
  ): Promise<boolean> {
    const { db } = this.#parts
    const finished = { task, result: null }
    const posting = await this.#post(finished, 'completed')
    return this.#commit(posting, finished, () =>
      isCommitted(db.transaction([...first, ...this.completedAtOnce(task), ...posting.statements])),
    )
  }

  /** Stores a new task as completed, as `completeAtOnce` does, but leaves its deliveries to the caller. */
  completedAtOnce(task: Task & TaskProgress): Statement<unknown>[] {
    const { sealer } = this.#parts
    const nowMs = task.completedAtMs ?? task.createdAtMs
    return [
      insertTask(sealer, task),
      endTask(sealer, { ...task, state: 'completed', nowMs }).required('open'),
      ...this.#count(task),
    ]
  }

  /** Cancels an open task; returns false when it had ended already. */
  async cancel(task: Task & TaskProgress, options: { isReported: boolean }): Promise<boolean> {
    const nowMs = this.#parts.db.nowMs()
    const cancelled = { ...task, state: 'cancelled' as const, completedAtMs: nowMs }
    const finished = { task: cancelled, result: null }
    const posting = options.isReported ? await this.#post(finished, 'cancelled') : noPosting
    return this.#endOpen(cancelTask({ id: task.id, nowMs }), finished, posting)
  }

  /** Fails an open task that no worker ended in time; returns false when it had ended already. */
  async expire(task: Task & TaskProgress, error: TaskError): Promise<boolean> {
    const { db, sealer } = this.#parts
    const nowMs = db.nowMs()
    const failed = { ...task, state: 'failed' as const, error, completedAtMs: nowMs }
    const finished = { task: failed, result: null }
    return this.#endOpen(
      endTask(sealer, { ...failed, nowMs }),
      finished,
      await this.#post(finished, 'failed'),
    )
  }

  /** Ends a task without its lease; a worker that still holds it can write nothing any more. */
  async #endOpen(
    ending: Statement<unknown>,
    finished: FinishedTask,
    posting: PendingEntries,
  ): Promise<boolean> {
    const { task } = finished
    return this.#commit(posting, finished, () =>
      isCommitted(
        this.#parts.db.transaction([
          ending.required('open'),
          removeUnwantedEntry(task.id),
          ...posting.statements,
          ...this.#count(task),
          ...this.#notice(task),
        ]),
      ),
    )
  }

  async #commit(
    posting: PendingEntries,
    finished: FinishedTask,
    write: () => Promise<boolean>,
  ): Promise<boolean> {
    if (!(await commitEntries(posting, write))) return false
    const { callers, rollups, events, endedTasks } = this.#parts
    callers.resolve(finished)
    const { task } = finished
    rollups.count(task)
    events.taskChanged(task, task.state as TaskEnd)
    if (!task.job) return true
    const job = { id: task.job.id, accountId: task.accountId }
    events.jobChanged(job)
    endedTasks.report(job)
    return true
  }

  async #post(finished: FinishedTask, end: TaskEnd): Promise<PendingEntries> {
    const { db, deliveries, links } = this.#parts
    const { task } = finished
    // The end of a job is one event; its tasks have none of their own.
    if (task.job) return noPosting
    const webhooks = await webhooksFor(this.#parts, task.accountId, 'extract_completed')
    const when = { nowMs: task.completedAtMs ?? db.nowMs(), newId: sortableId }
    const planned = planDeliveries({ task, end, webhooks }, when)
    const [callback] = planned.filter(({ webhook }) => webhook === undefined)
    const bodies = new Map(callback && [[callback.id, callbackBody(finished, links)]])
    return post(deliveries, planned, bodies)
  }

  /**
   * Counts the task for its job and for the statistics. Of all statements these are the last to lock a
   * row, so that others who add to the same rows wait for little more than the commit.
   */
  #count(task: Task & TaskProgress): Statement<never>[] {
    const state = task.state as TaskEnd
    const { job, completedAtMs, createdAtMs } = task
    const ended = { state, tokens: tokensOf(task), nowMs: completedAtMs ?? createdAtMs }
    const ofJob = job
      ? [countTaskOfJob({ accountId: task.accountId, jobId: job.id, ...ended })]
      : []
    const totals = dayTotalsOf(task)
    const slot = this.#parts.db.isShared ? Math.floor(Math.random() * rollupSlots) : 0
    return totals ? [...ofJob, addToDay(task.accountId, totals, slot)] : ofJob
  }

  /** Notifies the process in which the realtime caller waits, unless it is this one. */
  #notice(task: Task): Statement<never>[] {
    const isAwaitedHere = this.#parts.callers.isWaitingFor(task.id)
    return isAwaited(task) && !isAwaitedHere ? [notify(endedChannel, task.id)] : []
  }
}

const noPosting: PendingEntries = {
  statements: [],
  committed: () => undefined,
  withdrawn: () => undefined,
}

type PageBytes = Pick<Page, 'body' | 'screenshot'>

function endStatements(
  { sealer, digest }: Pick<SettleParts, 'sealer' | 'digest'>,
  finished: FinishedTask,
  page: PageBytes | undefined,
): Statement<unknown>[] {
  const { task, result } = finished
  const nowMs = task.completedAtMs ?? task.createdAtMs
  // Required, so that no task is counted twice in the statistics.
  const cacheKey = cacheKeyOf(digest, finished)
  const ended = endTask(sealer, {
    ...task,
    state: task.state as TaskEnd,
    nowMs,
    cacheKey,
  }).required('open')
  if (!result || !page) return [ended]
  const ownerId = task.id
  const image = page.screenshot?.bytes
  const facts = result.page
  const blobBytes = page.body.byteLength + (image?.byteLength ?? 0)
  return [
    ended,
    insertResult(sealer, task, { facts, blobBytes, nowMs }),
    insertBlob({ ownerId, kind: 'page', bytes: page.body }),
    ...(image ? [insertBlob({ ownerId, kind: 'screenshot', bytes: image })] : []),
  ]
}
