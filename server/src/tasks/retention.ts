import { crashPoint } from '../runtime/crash-point.ts'
import type { Log } from '../runtime/log.ts'
import { sortableIdAt } from '../runtime/sortable-id.ts'
import type { Database } from '../storage/database.ts'
import { pruneIdempotencyRecords } from '../storage/idempotency-records-table.ts'
import { deleteBlobsOf, deleteResult, listExpiredResults } from '../storage/results-table.ts'
import { pruneTasks } from '../storage/tasks-table.ts'

export interface Retention {
  resultsMs: number
  tasksMs: number
  idempotencyMs: number
}

// A sweep of any size must not keep others waiting for the store.
const sweptAtOnceMax = 200

/** Removes what has been kept long enough, a little at a time. What is over was over already when read. */
export function startRetention(parts: {
  db: Database
  log: Log
  kept: Retention
  sweptEveryMs: number
}): AsyncDisposable {
  const { db, log, kept } = parts
  let isStopped = false
  let sweeping: Promise<void> | undefined
  const timer = setInterval(sweep, parts.sweptEveryMs)
  timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true
      clearInterval(timer)
      await sweeping
    },
  }

  function sweep(): void {
    sweeping ??= sweepAll()
      .catch((error) => log.warn({ err: error }, 'Old rows could not be removed.'))
      .finally(() => {
        sweeping = undefined
      })
  }

  async function sweepAll(): Promise<void> {
    const nowMs = db.nowMs()
    while (!isStopped && (await sweepResults(db, nowMs - kept.resultsMs)) === sweptAtOnceMax);
    while (!isStopped && (await sweepTasks(nowMs - kept.tasksMs)) === sweptAtOnceMax);
    await db.run(pruneIdempotencyRecords(nowMs - kept.idempotencyMs))
  }

  async function sweepTasks(createdBeforeMs: number): Promise<number> {
    const idBefore = sortableIdAt(createdBeforeMs)
    return (await db.run(pruneTasks({ idBefore, tasksMax: sweptAtOnceMax }))).length
  }
}

/** Removes some results whose time is over; the answer says how many. */
export async function sweepResults(db: Database, createdBeforeMs: number): Promise<number> {
  const limits = { createdBeforeMs, resultsMax: sweptAtOnceMax }
  const expired = await db.run(listExpiredResults(limits))
  if (expired.length === 0) return 0
  crashPoint('during_retention')
  await db.transaction(expired.flatMap((taskId) => [deleteResult(taskId), deleteBlobsOf(taskId)]))
  return expired.length
}
