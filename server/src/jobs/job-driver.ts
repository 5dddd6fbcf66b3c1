import { type PreloadedDelivery, post, webhooksFor } from '../delivery/outbox.ts'
import { planJobDeliveries } from '../domain/delivery/plan-deliveries.ts'
import type { EventReporter } from '../events/event-hub.ts'
import { commitEntries } from '../queue/pending-entries.ts'
import type { LaneProducer } from '../queue/queue.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import { withDeadline } from '../runtime/deadline.ts'
import type { Log } from '../runtime/log.ts'
import { Semaphore } from '../runtime/sharing/semaphore.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import type { Database } from '../storage/database.ts'
import { isCommitted } from '../storage/statement.ts'
import { removeFrontier } from '../storage/tables/crawl-pages.ts'
import { stopAllWaiting } from '../storage/tables/crawl-waits.ts'
import { endJob, findJobToDrive, type JobView, listJobsToAdvance } from '../storage/tables/jobs.ts'
import { announceJob, type ChangedJob, jobsChannel, readAnnounced } from './announce-job.ts'
import type { Advance } from './crawl/advance-crawl.ts'
import { FailedSteps } from './failed-steps.ts'
import { jobKindRules } from './job-kind-rules.ts'
import { stopJob } from './stop-job.ts'

interface JobDriverParts {
  db: Database
  sealer: Sealer
  log: Log
  deliveries: LaneProducer<PreloadedDelivery>
  events: EventReporter
  /** Takes a crawl one step further; undefined in a process that fetches nothing. */
  advance: ((job: JobView, step: CrawlStep) => Promise<Advance>) | undefined
  /** How often to look for jobs that nobody drives: their process died, or they wait for a host. */
  sweepIntervalMs: number
}

interface CrawlStep {
  /** Another job goes on, in whichever process drives it. */
  wake(job: ChangedJob): void
  /** Waits for targets. Other jobs have their turn meanwhile; it rejects once the job is cancelled. */
  waitFor<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value>
}

/** A job that is being driven, or waits for a place among those that are. */
interface Drive {
  /** Something changed meanwhile. */
  isChanged: boolean
  /** Resolves once it has ended, or has waited for a target for long: its place is free for others then. */
  readonly placeFreed: PromiseWithResolvers<void>
  readonly stopping: AbortController
}

const foundAtOnceMax = 100
/** A few at a time: thousands of jobs may change at once. Each job waits once at most. */
const driveLimits = { atOnceMax: 16, waitingMax: Number.POSITIVE_INFINITY, spareMax: 4 }
/** Targets mostly respond sooner. */
const slowMs = 1_000

/**
 * Drives jobs: takes crawls further, and ends a job whose last task has ended. State and deliveries are
 * one commit, written exactly once. Any number of processes may drive the same job.
 */
export class JobDriver implements AsyncDisposable {
  readonly #parts: JobDriverParts
  readonly #sweepTimer: NodeJS.Timeout
  readonly #listening: Disposable
  readonly #drives = new Map<string, Drive>()
  readonly #places = new Semaphore(driveLimits)
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #wakeTimers = new Map<string, NodeJS.Timeout>()
  readonly #failedSteps: FailedSteps
  #isClosed = false

  constructor(parts: JobDriverParts) {
    this.#parts = parts
    this.#failedSteps = new FailedSteps(parts.sweepIntervalMs)
    this.#sweepTimer = setInterval(() => this.#track(this.#sweep()), parts.sweepIntervalMs).unref()
    this.#track(this.#sweep())
    this.#listening = parts.db.listen(jobsChannel, (notice) => this.changed(readAnnounced(notice)))
  }

  /** To be called after each commit that ended a task of the job or changed the job. */
  changed(job: ChangedJob): void {
    if (this.#isClosed) return
    const drive = this.#drives.get(job.id)
    if (drive) drive.isChanged = true
    else this.#track(this.#driveAtPlace(job))
  }

  /** To be called after the job was cancelled: its end does not wait for targets. */
  cancelled(job: ChangedJob): void {
    this.changed(job)
    this.#drives.get(job.id)?.stopping.abort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#sweepTimer)
    this.#listening[Symbol.dispose]()
    for (const timer of this.#wakeTimers.values()) clearTimeout(timer)
    for (const { stopping } of this.#drives.values()) stopping.abort()
    await Promise.all(this.#underWay)
  }

  #track(work: Promise<unknown>): void {
    const tracked = work
      .catch((error) => this.#parts.log.warn({ err: error }, 'Failed to drive a job; retrying.'))
      .finally(() => this.#underWay.delete(tracked))
    this.#underWay.add(tracked)
  }

  async #sweep(): Promise<void> {
    for (let after = ''; !this.#isClosed; ) {
      const found = await this.#parts.db.run(listJobsToAdvance(after, foundAtOnceMax))
      // One that waits for its host has been looked at.
      for (const job of found) if (!this.#wakeTimers.has(job.id)) this.changed(job)
      after = found.at(-1)?.id ?? ''
      if (found.length < foundAtOnceMax) return
    }
  }

  async #driveAtPlace({ id, accountId }: ChangedJob): Promise<void> {
    const placeFreed = Promise.withResolvers<void>()
    const drive = { isChanged: false, placeFreed, stopping: new AbortController() }
    this.#drives.set(id, drive)
    const act = () => {
      this.#track(this.#driveWhileChanged(id, drive))
      return placeFreed.promise
    }
    await this.#places.run(act, { accountId })
  }

  async #driveWhileChanged(jobId: string, drive: Drive): Promise<void> {
    try {
      do {
        if (this.#isClosed) return
        // Before the first await, so that a change during it is not missed.
        drive.isChanged = false
        await this.#driveOnce(jobId, drive)
      } while (drive.isChanged)
    } finally {
      this.#drives.delete(jobId)
      drive.placeFreed.resolve()
    }
  }

  async #driveOnce(jobId: string, drive: Drive): Promise<void> {
    const { db, sealer } = this.#parts
    const [job] = await db.run(findJobToDrive(sealer, jobId))
    if (!job) return this.#failedSteps.forget(jobId)
    if (job.kind === 'crawl' && job.state === 'open') {
      const next = await this.#advance(job, drive)
      this.#parts.events.jobChanged(job)
      if (next.kind === 'waiting') this.#wakeAt(job, next.untilMs)
      if (next.kind !== 'done') return
    }
    if (job.counts.open === 0) await this.#end(job)
  }

  async #advance(job: JobView, drive: Drive): Promise<Advance> {
    try {
      const next = await this.#parts.advance?.(job, {
        wake: (other) => this.#wake(other),
        waitFor: (work) => this.#waitFor(drive, work),
      })
      this.#failedSteps.forget(job.id)
      return next ?? { kind: 'running' }
    } catch (error) {
      if (drive.stopping.signal.aborted) return { kind: 'running' }
      const progress = JSON.stringify(job.counts)
      const { db, log } = this.#parts
      if (!this.#failedSteps.add(job.id, { error, progress, nowMs: db.nowMs() })) throw error
      log.error({ err: error, jobId: job.id }, 'A crawl cannot go on; it ends as failed.')
      await stopJob(db, { ...job, state: 'failed' })
      this.#failedSteps.forget(job.id)
      drive.isChanged = true
      return { kind: 'running' }
    }
  }

  async #waitFor<Value>(
    drive: Drive,
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const timer = setTimeout(() => drive.placeFreed.resolve(), slowMs)
    const { signal } = drive.stopping
    return await withDeadline(work, { ms: Number.POSITIVE_INFINITY, signal }).finally(() =>
      clearTimeout(timer),
    )
  }

  #wake(job: ChangedJob): void {
    const { db } = this.#parts
    this.changed(job)
    if (db.isShared) this.#track(db.run(announceJob(job)))
  }

  #wakeAt({ id, accountId }: ChangedJob, atMs: number): void {
    clearTimeout(this.#wakeTimers.get(id))
    const wake = () => {
      this.#wakeTimers.delete(id)
      this.changed({ id, accountId })
    }
    const timer = setTimeout(wake, Math.max(0, atMs - this.#parts.db.nowMs())).unref()
    this.#wakeTimers.set(id, timer)
  }

  async #end(job: JobView): Promise<void> {
    const { db, deliveries } = this.#parts
    const { endOf, event } = jobKindRules[job.kind]
    const nowMs = db.nowMs()
    const webhooks = event ? await webhooksFor(this.#parts, job.accountId, event) : []
    const end = endOf(job)
    const planned = planJobDeliveries({ job, end, webhooks }, { nowMs, newId: sortableId })
    const posting = post(deliveries, planned, new Map())
    // Not written if another process was first, or the job goes on.
    await commitEntries(posting, async () => {
      crashPoint('before_job_commit')
      const isWritten = await isCommitted(
        db.transaction([
          endJob(job, end, nowMs).required('all tasks have ended'),
          ...(job.kind === 'crawl' ? [removeFrontier(job.id), stopAllWaiting(job.id)] : []),
          ...posting.statements,
        ]),
      )
      if (!isWritten) return false
      crashPoint('after_job_commit')
      this.#parts.events.jobChanged(job)
      return true
    })
  }
}
