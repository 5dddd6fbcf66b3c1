import type { PageFacts } from '../../domain/scrape/page.ts'
import type { AttemptRecord } from '../../domain/task/attempt.ts'
import type { Task, TaskProgress } from '../../domain/task/task.ts'
import type { Content } from '../../formats/present.ts'
import { resultJson } from '../../formats/result-object.ts'
import type { JsonPieces } from '../../runtime/splice-json.ts'
import { requireStoreKey } from '../../storage/secrets/key-rotation.ts'
import { getTaskToWorkOn } from '../../storage/tables/tasks.ts'
import {
  type ContentForm,
  type FinishedResult,
  readResult,
  type StoredResultParts,
} from './kept-results.ts'

/** A task that has ended, with its result if it completed. */
export interface FinishedTask {
  task: Task & TaskProgress
  result: FinishedResult | null
}

/** Reads an ended task from the store; undefined while it is open, or when its result is gone. */
export async function findFinished(
  parts: StoredResultParts,
  taskId: string,
  formFor: (task: Task) => ContentForm,
  signal?: AbortSignal,
): Promise<FinishedTask | undefined> {
  const [task] = await parts.db.run(getTaskToWorkOn(parts.sealer, taskId))
  if (!task || task.state === 'open') return undefined
  if (task.isUnreadable) await requireStoreKey(parts)
  if (task.state !== 'completed') return { task, result: null }
  const result = await readResult(parts, task, formFor(task), signal)
  return result && { task, result }
}

/** The result object; its content must have the embedded form. */
export function toResultJson(finished: FinishedResult & { task: Task & TaskProgress }): JsonPieces {
  const { task, page, content, image } = finished
  return resultJson({
    page,
    content,
    image,
    options: task.request.options,
    attempts: task.attempts,
    debug: task.request.options.debug ? toDebug(task, page, content) : undefined,
  })
}

function toDebug(task: TaskProgress, page: PageFacts, content: Content): object {
  return {
    attempts: task.attemptLog.map(toDebugAttempt),
    requests: page.requests.map((request) => ({
      ...request,
      ...(request.startedMs !== undefined && { startedMs: toTenths(request.startedMs) }),
      durationMs: toTenths(request.durationMs),
    })),
    console: page.console ?? [],
    waitEndedAtDeadline: page.isWaitCutShort ?? false,
    charset: content.charset,
    hasReplacements: content.hasReplacements,
    decodedBytes: content.decodedBytes,
  }
}

/** The session with a proxy identifies a customer of the proxy's vendor, so it is not shown. */
const toDebugAttempt = ({ handover, ...record }: AttemptRecord): object => {
  const { startedAtMs, durationMs, queueMs, backoffMs: _, timings, ...attempt } = record
  return {
    ...attempt,
    startedAt: new Date(startedAtMs).toISOString(),
    durationMs,
    timings: {
      queue: queueMs,
      dns: toTenths(timings?.dnsMs),
      connect: toTenths(timings?.connectMs),
      tls: toTenths(timings?.tlsMs),
      firstByte: toTenths(timings?.firstByteMs),
      download: toTenths(timings?.downloadMs),
      render: toTenths(timings?.renderMs),
      wait: toTenths(timings?.waitMs),
      extract: toTenths(timings?.extractMs),
    },
  }
}

const toTenths = (ms: number | undefined): number | null =>
  ms === undefined ? null : Math.round(ms * 10) / 10
