import type { FailureCode } from '../domain/failure.ts'
import { defaultScrapeOptions } from '../domain/scrape/scrape-options.ts'
import type { ScrapeRequest } from '../domain/scrape/scrape-request.ts'
import type { Task, TaskKind, TaskProgress, TaskState } from '../domain/task/task.ts'
import { CannotUnseal, type Sealer } from '../runtime/seal.ts'
import { openColumn } from './sealed-columns.ts'

/** Leaves out default options, which most requests have. */
export const writeRequest = (request: ScrapeRequest): string =>
  JSON.stringify(
    request.options === defaultScrapeOptions ? { ...request, options: undefined } : request,
  )

export const readRequest = (text: string): ScrapeRequest => ({
  options: defaultScrapeOptions,
  ...JSON.parse(text),
})

export interface TaskRow {
  id: string
  account_id: string
  kind: Exclude<TaskKind, 'extract'>
  formats: string | null
  url: string
  callback_url: string | null
  callback_on_failure: number
  request: string
  metadata: string | null
  state: TaskState
  attempts: number
  attempt_log: string
  error_code: FailureCode | null
  error_message: string | null
  created_at_ms: number
  started_at_ms: number | null
  completed_at_ms: number | null
  job_id: string | null
  position: number | null
}

/** A text that cannot be decrypted leaves its field empty, so that a list still shows its rows. */
export function toTask(sealer: Sealer, row: TaskRow): Task & TaskProgress {
  const place = { id: row.id, accountId: row.account_id }
  let isUnreadable = false
  const open = (column: Parameters<typeof openColumn>[1], text: string | null) => {
    try {
      return text && openColumn(sealer, column, place, text)
    } catch (error) {
      if (!(error instanceof CannotUnseal)) throw error
      isUnreadable = true
      return null
    }
  }
  const request = open('tasks.request', row.request)
  const metadata = open('tasks.metadata', row.metadata)
  const task = {
    ...place,
    kind: row.formats === null ? row.kind : ('extract' as const),
    callbackUrl: open('tasks.callback_url', row.callback_url),
    callsBackOnFailure: row.callback_on_failure === 1,
    request: request === null ? unreadableRequest(row.url) : readRequest(request),
    metadata: metadata === null ? null : JSON.parse(metadata),
    createdAtMs: row.created_at_ms,
    state: row.state,
    attempts: row.attempts,
    attemptLog: JSON.parse(row.attempt_log),
    error: row.error_code && {
      code: row.error_code,
      message: open('tasks.error_message', row.error_message) ?? '',
    },
    startedAtMs: row.started_at_ms,
    completedAtMs: row.completed_at_ms,
    ...(row.job_id !== null && { job: { id: row.job_id, position: row.position ?? 0 } }),
  }
  return isUnreadable ? { ...task, isUnreadable } : task
}

/** A placeholder that is never run. `url` is the requested one without its query. */
const unreadableRequest = (url: string): ScrapeRequest => ({
  url,
  options: defaultScrapeOptions,
  timeoutMs: 0,
  forwardedHeaders: {},
})
