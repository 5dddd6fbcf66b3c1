/**
 * Jobs: groups of tasks that a caller follows as one. The tasks go the same way as single ones; here is
 * only what makes them a group: accepting them together, counting them, ending the job with the last of
 * them. This file has the batches: many pages with the same options.
 */
import { Failure } from '../../domain/failure.ts'
import type { Job } from '../../domain/job/job.ts'
import type { JobConfig } from '../../domain/job/job-config.ts'
import type { ScrapeRequest } from '../../domain/scrape/scrape-request.ts'
import { mapInTurns } from '../../runtime/sharing/turns.ts'
import { sortableId } from '../../runtime/sortable-id.ts'
import type { JobView } from '../../storage/tables/jobs.ts'
import type { WritingTurns } from '../../storage/writing-turns.ts'
import { newTask } from '../../tasks/new-task.ts'
import { requireProxy } from '../../tasks/proxies/require-proxy.ts'
import { expired } from '../../tasks/results/result-store.ts'
import type { Accepted, Idempotency } from '../../tasks/submit.ts'
import { type BatchUrl, isFetchable } from '../../wire/batch/requests.ts'
import { createJobTracking, type JobTrackingParts } from '../job-tracking.ts'
import { requireModestOptions, type SubmitJobParts, submitJob } from '../submit-job.ts'
import { retryFailed } from './retry-failed.ts'

interface NewBatch {
  urls: readonly BatchUrl[]
  invalidUrls: string[]
  config: JobConfig
  callbackUrl: string | null
  /** How old a stored result of the same request may be that answers a page; 0 for none. */
  maxAgeMs: number
  idempotency: Idempotency | undefined
  requestFor(url: string): ScrapeRequest
}

interface BatchesParts extends SubmitJobParts, JobTrackingParts {
  /** A batch writes a thousand rows at once. */
  writingTurns: WritingTurns
}

export type Batches = ReturnType<typeof createBatches>

export function createBatches(parts: BatchesParts) {
  const { db, guard, driver, writingTurns: turns } = parts
  const tracking = createJobTracking(parts, 'batch')

  return {
    ...tracking,
    cancel: (accountId: string, id: string) =>
      turns.take(accountId, () => tracking.cancel(accountId, id)),
    sortUrls,
    /** Resolves once the job and all its tasks are committed. */
    submit: (accountId: string, given: NewBatch) =>
      turns.take(accountId, () => submit(accountId, given)),
    /** The same job runs its failed tasks again, and ends once more. */
    retryFailed: (accountId: string, id: string) =>
      turns.take(accountId, () => retry(accountId, id)),
  }

  /** Tells the URLs that can be fetched from the others. */
  async function sortUrls(accountId: string, urls: readonly string[]) {
    const check = ([index, url]: [number, string]) => ({
      index,
      url,
      isValid: isFetchable(url, isAllowed),
    })
    const checked = await mapInTurns([...urls.entries()], check, accountId)
    return {
      valid: checked.filter(({ isValid }) => isValid),
      invalid: checked.filter(({ isValid }) => !isValid),
    }
  }

  async function submit(
    accountId: string,
    { urls, callbackUrl, maxAgeMs, idempotency, ...given }: NewBatch,
  ): Promise<Accepted> {
    if (callbackUrl !== null) guard.requireAllowedUrl(callbackUrl, 'callback')
    const job: Job = {
      id: sortableId(),
      accountId,
      kind: 'batch',
      request: { config: given.config },
      invalidUrls: given.invalidUrls,
      callbackUrl,
      createdAtMs: db.nowMs(),
    }
    const taskOf = ({ index, url }: BatchUrl) =>
      newTask(parts, {
        accountId,
        callbackUrl: null,
        callsBackOnFailure: false,
        request: given.requestFor(url),
        metadata: null,
        job: { id: job.id, position: index },
      })
    const tasks = await mapInTurns(urls, taskOf, accountId)
    // All tasks of a job have the same options.
    if (tasks[0]) {
      requireModestOptions(tasks[0].request, tasks.length)
      requireProxy(parts.proxies, tasks[0].request)
    }
    const accepted = await submitJob(parts, { job, tasks, maxAgeMs, idempotency })
    // Where every page was cached, no end of a task will end the job.
    driver.changed({ id: accepted.id, accountId })
    return accepted
  }

  async function retry(accountId: string, id: string): Promise<JobView> {
    const job = await tracking.get(accountId, id)
    if (job.completedAtMs === null) throw new Failure('CONFLICT', 'The batch has not ended yet.')
    if (db.nowMs() >= job.completedAtMs + parts.resultsKeptMs) throw expired()
    if (!(await retryFailed(parts, job))) {
      throw new Failure('CONFLICT', 'No page of this batch has failed.')
    }
    return tracking.get(accountId, id)
  }

  function isAllowed(url: string): boolean {
    try {
      guard.requireAllowedUrl(url, 'target')
      return true
    } catch (error) {
      if (error instanceof Failure) return false
      throw error
    }
  }
}
