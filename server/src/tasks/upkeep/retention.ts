import { signInMsMax } from '../../domain/account/sign-in.ts'
import { sessionKeptMs } from '../../domain/scrape/cookie-session.ts'
import { minutesKeptMs } from '../../domain/task/time-series.ts'
import { utcDayOf, utcMinuteOf } from '../../domain/utc-time.ts'
import { crashPoint } from '../../runtime/crash-point.ts'
import type { Log } from '../../runtime/log.ts'
import { sortableIdAt } from '../../runtime/sortable-id.ts'
import type { Database } from '../../storage/database.ts'
import { pruneHostDays, pruneMinutes } from '../../storage/tables/activity-rollups.ts'
import { pruneCookieSessions } from '../../storage/tables/cookie-sessions.ts'
import { pruneHosts } from '../../storage/tables/crawl-hosts.ts'
import { pruneWaits } from '../../storage/tables/crawl-waits.ts'
import { pruneDays } from '../../storage/tables/day-rollups.ts'
import { pruneIdempotencyRecords } from '../../storage/tables/idempotency-records.ts'
import { pruneJobs } from '../../storage/tables/jobs.ts'
import { deleteBlobsOf, deleteResult, listExpiredResults } from '../../storage/tables/results.ts'
import { pruneSignInLinks } from '../../storage/tables/sign-in-links.ts'
import { pruneSignIns } from '../../storage/tables/sign-ins.ts'
import { pruneTasks } from '../../storage/tables/tasks.ts'

export interface Retention {
  resultsMs: number
  tasksMs: number
  idempotencyMs: number
  statisticsMs: number
}

// Bounds the size of one transaction, so that a sweep does not block the store for others.
const sweptAtOnceMax = 200

/** Deletes expired rows in small batches. Readers treat them as expired before they are deleted. */
export function startRetention(parts: {
  db: Database
  log: Log
  kept: Retention
  sweepIntervalMs: number
}): AsyncDisposable {
  const { db, log, kept } = parts
  let isStopped = false
  let sweeping: Promise<void> | undefined
  const timer = setInterval(sweep, parts.sweepIntervalMs)
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
      .catch((error) => log.warn({ err: error }, 'Failed to delete expired rows; retrying.'))
      .finally(() => {
        sweeping = undefined
      })
  }

  async function sweepAll(): Promise<void> {
    const nowMs = db.nowMs()
    while (!isStopped && (await sweepResults(db, nowMs - kept.resultsMs)) === sweptAtOnceMax);
    while (!isStopped && (await sweepTasks(nowMs - kept.tasksMs)) === sweptAtOnceMax);
    while (!isStopped && (await sweepJobs(nowMs - kept.tasksMs)) > 0);
    while (!isStopped && (await sweepSessions(nowMs - sessionKeptMs)) === sweptAtOnceMax);
    while (!isStopped && (await sweepSignIns(nowMs - signInMsMax)) === sweptAtOnceMax);
    await db.run(pruneSignInLinks(nowMs))
    await db.run(pruneHosts(nowMs))
    await db.run(pruneWaits(nowMs))
    await db.run(pruneIdempotencyRecords(nowMs - kept.idempotencyMs))
    await db.run(pruneMinutes(utcMinuteOf(nowMs - minutesKeptMs)))
    await db.run(pruneHostDays(utcDayOf(nowMs - kept.tasksMs)))
    await db.run(pruneDays(utcDayOf(nowMs - kept.statisticsMs)))
  }

  /** One at a time, since it takes all its tasks along. */
  async function sweepJobs(endedBeforeMs: number): Promise<number> {
    return (await db.run(pruneJobs({ endedBeforeMs, jobsMax: 1 }))).length
  }

  async function sweepSessions(usedBeforeMs: number): Promise<number> {
    return (await db.run(pruneCookieSessions({ usedBeforeMs, sessionsMax: sweptAtOnceMax }))).length
  }

  async function sweepSignIns(usedBeforeMs: number): Promise<number> {
    return (await db.run(pruneSignIns({ usedBeforeMs, signInsMax: sweptAtOnceMax }))).length
  }

  async function sweepTasks(createdBeforeMs: number): Promise<number> {
    const idBefore = sortableIdAt(createdBeforeMs)
    return (await db.run(pruneTasks({ idBefore, tasksMax: sweptAtOnceMax }))).length
  }
}

/** Deletes a batch of expired results and returns how many. */
export async function sweepResults(db: Database, createdBeforeMs: number): Promise<number> {
  const limits = { createdBeforeMs, resultsMax: sweptAtOnceMax }
  const expired = await db.run(listExpiredResults(limits))
  if (expired.length === 0) return 0
  crashPoint('during_retention')
  await db.transaction(expired.flatMap((taskId) => [deleteResult(taskId), deleteBlobsOf(taskId)]))
  return expired.length
}
