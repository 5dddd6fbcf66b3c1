/**
 * The lifecycle of a task: accepted, run, ended, delivered, retained. Callback and realtime tasks
 * differ only in how the result reaches the caller.
 */

import { forwardableHeaders } from '../domain/forwarded-headers.ts'
import type { ScrapeRequest } from '../domain/scrape/scrape-request.ts'
import type { Task } from '../domain/task/task.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import { abandonTask } from './abandon.ts'
import type { FinishedTask } from './finished-task.ts'
import {
  type Accepted,
  type Idempotency,
  requireRunnable,
  type SubmitParts,
  submit,
} from './submit.ts'
import { createTracking, type Tracking, type TrackingParts } from './tracking.ts'
import type { WaitingCallers } from './waiting-callers.ts'

export interface Tasks extends Tracking {
  /** Resolves once the task is committed to the store. */
  submit(accountId: string, given: CallbackRequest): Promise<Accepted>
  /** Resolves when the task has ended. A caller who disconnects cancels it. */
  runForCaller(
    accountId: string,
    given: RealtimeRequest,
    hungUp: AbortSignal,
  ): Promise<FinishedTask>
}

interface CallbackRequest extends RealtimeRequest {
  callbackUrl: string
  callsBackOnFailure: boolean
  idempotency: Idempotency | undefined
}

interface RealtimeRequest {
  request: ScrapeRequest
  metadata: Record<string, unknown> | null
}

export interface TasksParts extends SubmitParts, TrackingParts {
  callers: WaitingCallers
}

export function createTasks(parts: TasksParts): Tasks {
  const { db, guard, queue, callers } = parts

  return {
    ...createTracking(parts),
    async submit(accountId, { idempotency, ...given }) {
      requireRunnable(parts, given.request)
      guard.requireAllowedUrl(given.callbackUrl, 'callback')
      return submit(parts, newTask(accountId, { kind: 'callback', ...given }), { idempotency })
    },
    async runForCaller(accountId, given, hungUp) {
      requireRunnable(parts, given.request)
      const realtime = { kind: 'realtime', callbackUrl: null, callsBackOnFailure: false } as const
      const task = newTask(accountId, { ...realtime, ...given })
      // Waiting starts before the submission, so that the end of the task cannot be missed.
      using waiting = callers.waitFor(task.id, hungUp)
      await submit(parts, task, {
        awaited: { by: queue.processId, untilMs: queue.awaitedUntilMs() },
      })
      try {
        return await waiting.finished
      } catch (error) {
        await abandonTask(parts, task.id)
        throw error
      }
    },
  }

  function newTask(accountId: string, given: Omit<Task, 'id' | 'accountId' | 'createdAtMs'>): Task {
    const { request } = given
    // Headers that are not forwarded may be credentials, so they are not stored either.
    const forwardedHeaders = forwardableHeaders(request.forwardedHeaders)
    const proxied = parts.proxies.isEmpty ? undefined : ({ isProxied: true } as const)
    const kept = { ...given, request: { ...request, forwardedHeaders, ...proxied } }
    return { id: sortableId(), accountId, createdAtMs: db.nowMs(), ...kept }
  }
}
