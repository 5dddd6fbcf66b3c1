import { type Posting, type PreloadedDelivery, post } from '../delivery/outbox.ts'
import { planDeliveries } from '../domain/delivery/plan-deliveries.ts'
import type { Page } from '../domain/scrape/page.ts'
import type { Task, TaskEnd, TaskProgress } from '../domain/task/task.ts'
import type { Lease } from '../queue/lease.ts'
import type { LaneProducer } from '../queue/queue.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import type { Sealer } from '../runtime/seal.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import { insertBlob } from '../storage/blobs-table.ts'
import type { Database } from '../storage/database.ts'
import { removeUnwantedEntry } from '../storage/queue-entries-table.ts'
import { insertResult } from '../storage/results-table.ts'
import { notify, RequirementUnmet, type Statement } from '../storage/statement.ts'
import { cancelTask, endTask } from '../storage/tasks-table.ts'
import { listWebhooksFor } from '../storage/webhooks-table.ts'
import { callbackBody } from './delivery-payloads.ts'
import type { FinishedTask } from './finished-task.ts'
import type { TaskLinks } from './task-links.ts'
import { endedChannel, type WaitingCallers } from './waiting-callers.ts'

export interface SettleParts {
  db: Database
  sealer: Sealer
  deliveries: LaneProducer<PreloadedDelivery>
  callers: WaitingCallers
  links: TaskLinks
}

/** Ends tasks: result, state and deliveries (transactional outbox) are written in one commit. */
export class Settler {
  readonly #parts: SettleParts

  constructor(parts: SettleParts) {
    this.#parts = parts
  }

  /**
   * `page` is what a completed task fetched. Returns false when the lease was lost (fencing token):
   * another worker has the task, and nothing was written.
   */
  async end(lease: Lease, finished: FinishedTask, page: PageBytes | undefined): Promise<boolean> {
    const { task } = finished
    const posting = await this.#post(finished, task.state as TaskEnd)
    return this.#commit(posting, finished, async () => {
      crashPoint('before_result_commit')
      const written = await lease.settle([
        ...endStatements(this.#parts.sealer, finished, page),
        ...posting.statements,
        ...this.#notice(task),
      ])
      crashPoint('after_result_commit')
      return written !== undefined
    })
  }

  /** Cancels an open task; returns false when it had ended already. */
  async cancel(task: Task & TaskProgress, options: { isReported: boolean }): Promise<boolean> {
    const { db } = this.#parts
    const nowMs = db.nowMs()
    const cancelled = { ...task, state: 'cancelled' as const, completedAtMs: nowMs }
    const finished = { task: cancelled, result: null }
    const posting = options.isReported ? await this.#post(finished, 'cancelled') : noPosting
    return this.#commit(posting, finished, async () => {
      try {
        await db.transaction([
          cancelTask({ id: task.id, nowMs }).required('open'),
          removeUnwantedEntry(task.id),
          ...posting.statements,
          ...this.#notice(task),
        ])
        return true
      } catch (error) {
        if (error instanceof RequirementUnmet) return false
        throw error
      }
    })
  }

  async #commit(
    posting: Posting,
    finished: FinishedTask,
    write: () => Promise<boolean>,
  ): Promise<boolean> {
    let isWritten = false
    try {
      isWritten = await write()
    } finally {
      if (isWritten) posting.committed()
      else posting.withdrawn()
    }
    if (isWritten) this.#parts.callers.resolve(finished)
    return isWritten
  }

  async #post(finished: FinishedTask, end: TaskEnd): Promise<Posting> {
    const { db, deliveries, links } = this.#parts
    const { task } = finished
    const webhooks = await db.run(listWebhooksFor(task.accountId, 'extract_completed'))
    const when = { nowMs: task.completedAtMs ?? db.nowMs(), newId: sortableId }
    const planned = planDeliveries({ task, end, webhooks }, when)
    const [callback] = planned.filter(({ webhook }) => webhook === undefined)
    const bodies = new Map(callback && [[callback.id, callbackBody(finished, links)]])
    return post(deliveries, planned, bodies)
  }

  /** Notifies the process in which the realtime caller waits, unless it is this one. */
  #notice(task: Task): Statement<never>[] {
    const isAwaitedHere = this.#parts.callers.isWaitingFor(task.id)
    return task.kind === 'realtime' && !isAwaitedHere ? [notify(endedChannel, task.id)] : []
  }
}

const noPosting: Posting = {
  statements: [],
  committed: () => undefined,
  withdrawn: () => undefined,
}

type PageBytes = Pick<Page, 'body' | 'screenshot'>

function endStatements(
  sealer: Sealer,
  { task, result }: FinishedTask,
  page: PageBytes | undefined,
): Statement<unknown>[] {
  const nowMs = task.completedAtMs ?? task.createdAtMs
  const ended = endTask(sealer, { ...task, state: task.state as TaskEnd, nowMs })
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
