/**
 * The lifecycle of a task: accepted, run, ended, delivered, retained. Callback and realtime tasks
 * differ only in how the result reaches the caller.
 */

import { Failure } from '../domain/failure.ts'
import type { ScrapeRequest } from '../domain/scrape/scrape-request.ts'
import { planRetry } from '../domain/task/plan-retry.ts'
import type { Task, TaskProgress } from '../domain/task/task.ts'
import type { Log } from '../runtime/log.ts'
import type { Statement } from '../storage/statement.ts'
import { abandonRefused, limitWait } from './abandon.ts'
import { newTask } from './new-task.ts'
import type { FinishedTask } from './results/finished-task.ts'
import { completeFromCache, type ResultCacheParts } from './results/result-cache.ts'
import { expired, formFor } from './results/result-store.ts'
import {
  type Accepted,
  type Idempotency,
  onlyOnce,
  requireRunnable,
  type SubmitParts,
  submit,
} from './submit.ts'
import { createTaskOperations, type TaskOperationsParts } from './task-operations.ts'
import type { WaitingCallers } from './waiting-callers.ts'

export type Tasks = ReturnType<typeof createTasks>

interface CallbackRequest extends RealtimeRequest {
  /** Null for an extraction, whose result is read later. */
  callbackUrl: string | null
  callsBackOnFailure: boolean
  idempotency: Idempotency | undefined
}

interface RealtimeRequest {
  request: ScrapeRequest
  /** How old a stored result of the same request may be that answers this one; 0 by default. */
  maxAgeMs?: number
  metadata: Record<string, unknown> | null
  /** The job that it is the only task of, with the statements that create the job. */
  ofJob?: { id: string; statements: readonly Statement<unknown>[] }
}

export interface TasksParts extends SubmitParts, TaskOperationsParts, ResultCacheParts {
  callers: WaitingCallers
  log: Log
}

export function createTasks(parts: TasksParts) {
  const { guard, queue, callers, kept } = parts
  const operations = createTaskOperations(parts)
  return {
    ...operations,
    submit: submitTask,
    /** Creates a task with the request of one that has ended. */
    async retry(
      accountId: string,
      id: string,
      given: { callsBack: boolean; idempotency: Idempotency | undefined },
    ): Promise<Accepted> {
      const { callsBack, idempotency } = given
      const task = await operations.get(accountId, id)
      requireRetryable(task)
      return submitTask(accountId, { ...planRetry(task, { callsBack }), idempotency })
    },
    /** Resolves when the task has ended. A caller who disconnects cancels it. */
    async runForCaller(
      accountId: string,
      { maxAgeMs = 0, ofJob, ...given }: RealtimeRequest,
      disconnected: AbortSignal,
    ): Promise<FinishedTask> {
      requireRunnable(parts, given.request)
      const awaited = { callbackUrl: null, callsBackOnFailure: false }
      const job = ofJob && { id: ofJob.id, position: 0 }
      const task = newTask(parts, { accountId, ...awaited, ...given, ...(job && { job }) })
      const hit = await completeFromCache(parts, task, { maxAgeMs, first: [] })
      if (hit) return readHit(hit, disconnected)
      // Waiting starts before the submission, so that the end of the task cannot be missed.
      using waiting = callers.waitFor(task.id, disconnected)
      await submit(parts, task, {
        caller: {
          by: queue.processId,
          untilMs: queue.awaitedUntilMs(),
          refuse: (reason) => callers.refuse(task.id, reason),
        },
        first: ofJob?.statements,
      })
      using _limit = limitWait(parts, task)
      try {
        return await waiting.finished
      } catch (error) {
        const finished = await abandonRefused(parts, task)
        if (finished && error instanceof Failure) return finished
        throw error
      }
    },
  }

  /** Resolves once the task is committed to the store. */
  async function submitTask(
    accountId: string,
    { idempotency, maxAgeMs = 0, ...given }: CallbackRequest,
  ): Promise<Accepted> {
    requireRunnable(parts, given.request)
    const { callbackUrl } = given
    if (callbackUrl !== null) guard.requireAllowedUrl(callbackUrl, 'callback')
    const task = newTask(parts, { accountId, ...given })
    const first = onlyOnce(parts, task, idempotency)
    if (await completeFromCache(parts, task, { maxAgeMs, first })) {
      return { id: task.id, createdAtMs: task.createdAtMs, isReplay: false }
    }
    return submit(parts, task, { idempotency })
  }

  async function readHit(task: FinishedTask['task'], signal: AbortSignal): Promise<FinishedTask> {
    const result = await kept.read(task, formFor(task), { signal })
    if (!result) throw expired()
    return { task, result }
  }
}

function requireRetryable({ state, isUnreadable }: Task & TaskProgress): void {
  if (state === 'open') throw new Failure('CONFLICT', 'The task has not ended yet.')
  if (isUnreadable) throw new Failure('EXPIRED', 'The request of the task is no longer kept.')
}
