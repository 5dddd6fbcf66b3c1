import type { PreloadedDelivery } from '../../delivery/outbox.ts'
import { destinationOf } from '../../domain/delivery/delivery.ts'
import { engineFor } from '../../domain/scrape/choose-engine.ts'
import type { TaskLane } from '../../domain/task/lane.ts'
import type { Task } from '../../domain/task/task.ts'
import type { LaneProducer } from '../../queue/queue.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import type { Log } from '../../runtime/log.ts'
import type { Database } from '../../storage/database.ts'
import {
  type OrphanQueries,
  orphanedDeliveries,
  orphanedTasks,
} from '../../storage/queries/orphans.ts'
import { requireStoreKey } from '../../storage/secrets/key-rotation.ts'
import { RequirementUnmet, type Statement, sql } from '../../storage/statement.ts'
import { getDeliveryToSend } from '../../storage/tables/deliveries.ts'
import { getTaskToWorkOn } from '../../storage/tables/tasks.ts'
import type { AccountLimits } from '../account-limits.ts'

export type OrphanKind = 'task' | 'delivery'

export interface RequeueParts {
  db: Database
  sealer: Sealer
  log: Log
  lanes: Readonly<Record<TaskLane, LaneProducer<Task>>>
  deliveries: LaneProducer<PreloadedDelivery>
  accountLimits: AccountLimits
  onRequeued(kind: OrphanKind, count: number): void
}

/** A slice takes milliseconds. The next sweep goes on where this one stopped: a million tasks take some 100 minutes. */
const sliceSize = 500
const slicesPerSweep = 20
const foundAtOnceMax = 100

/** Gives open work that has lost its queue entry a new one, from time to time. */
export function startRequeuingOrphans(
  parts: RequeueParts & { sweepIntervalMs: number },
): AsyncDisposable {
  const sweeper = new OrphanSweeper(parts)
  let isStopped = false
  let sweeping: Promise<void> | undefined
  const sweep = () => {
    sweeping ??= sweeper
      .sweep(() => isStopped)
      .catch((error) =>
        parts.log.warn({ err: error }, 'Failed to look for work without a queue entry; retrying.'),
      )
      .finally(() => {
        sweeping = undefined
      })
  }
  const timer = setInterval(sweep, parts.sweepIntervalMs).unref()
  // A migration that lost entries has just been made by this start.
  sweep()
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true
      clearInterval(timer)
      await sweeping
    },
  }
}

/** How one kind of work is found and queued. */
interface OrphanRules {
  queries: OrphanQueries
  /** The statement that adds the entry, and the lane to wake; undefined if the work is gone. */
  enqueue(id: string): Promise<{ entry: Statement<{ id: string }>; wake(): void } | undefined>
}

export class OrphanSweeper {
  readonly #parts: RequeueParts
  readonly #rules: Record<OrphanKind, OrphanRules>
  /** How far the sweep has come, from the newest back; undefined before it begins and after it is through. */
  readonly #before: Record<OrphanKind, string | undefined> = {
    task: undefined,
    delivery: undefined,
  }

  constructor(parts: RequeueParts) {
    this.#parts = parts
    this.#rules = {
      task: { queries: orphanedTasks, enqueue: (id) => this.#enqueueTask(id) },
      delivery: { queries: orphanedDeliveries, enqueue: (id) => this.#enqueueDelivery(id) },
    }
  }

  async sweep(isStopped: () => boolean = () => false): Promise<void> {
    for (const kind of ['task', 'delivery'] as const) {
      for (let slices = 1; slices <= slicesPerSweep && !isStopped(); slices++) {
        await this.#sweepSlice(kind)
        if (this.#before[kind] === undefined) break
      }
    }
  }

  async #sweepSlice(kind: OrphanKind): Promise<void> {
    const { db, log, onRequeued } = this.#parts
    const { queries } = this.#rules[kind]
    const before = this.#before[kind]
    const [from] = await db.run(queries.findSliceStart(before, sliceSize))
    const found = await db.run(queries.list({ from, before }, foundAtOnceMax))
    let count = 0
    for (const id of found) if (await this.#requeue(kind, id)) count += 1
    this.#before[kind] = found.length === foundAtOnceMax ? found.at(-1) : from
    if (count === 0) return
    onRequeued(kind, count)
    log.warn({ kind, count }, `Queued open work that had no queue entry: ${count} of kind ${kind}.`)
  }

  /** Returns whether it got an entry; false if it ended or got one meanwhile. */
  async #requeue(kind: OrphanKind, id: string): Promise<boolean> {
    const { db, log } = this.#parts
    const { queries, enqueue } = this.#rules[kind]
    try {
      const queued = await enqueue(id)
      if (!queued) return false
      const lock = queries.lockOpen(id).required('open')
      const [, added] = await db.transaction([lock, queued.entry] as const)
      queued.wake()
      return added.length > 0
    } catch (error) {
      if (error instanceof RequirementUnmet) return false
      log.warn({ err: error, kind, id }, 'Failed to queue work without a queue entry; retrying.')
      return false
    }
  }

  async #enqueueTask(id: string) {
    const { db, sealer, lanes, accountLimits } = this.#parts
    const [task] = await db.run(getTaskToWorkOn(sealer, id))
    if (!task) return undefined
    if (task.isUnreadable) await requireStoreKey({ db, sealer })
    const { accountId } = task
    const lane = engineFor(task.request.options)
    const concurrencyKey = accountLimits.keyOf(lane, accountId)
    const entry = { id, workId: id, accountId, jobId: task.job?.id, concurrencyKey }
    return { entry: lanes[lane].enqueueReadyIf(entry, always), wake: () => lanes[lane].wake() }
  }

  async #enqueueDelivery(id: string) {
    const { db, sealer, deliveries } = this.#parts
    const [delivery] = await db.run(getDeliveryToSend(sealer, id))
    if (!delivery) return undefined
    const { accountId, url } = delivery
    // Without a URL its webhook is gone, and the sender skips it.
    const concurrencyKey = url === undefined ? undefined : destinationOf(url)
    const entry = { id, workId: id, accountId, concurrencyKey }
    return { entry: deliveries.enqueueReadyIf(entry, always), wake: () => deliveries.wake() }
  }
}

/** The row is locked and open, so that the entry only has to be missing. */
const always = sql`1 = 1`
