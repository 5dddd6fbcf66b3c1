import type { FailureCode } from '../../domain/failure.ts'
import { defaultScrapeOptions } from '../../domain/scrape/scrape-options.ts'
import {
  type CrawlOrigin,
  type EngineRequest,
  type ExtractOrder,
  type MapOrder,
  plainOrder,
  type ScrapeRequest,
  type TaskPurpose,
} from '../../domain/scrape/scrape-request.ts'
import type { ListedTask } from '../../domain/task/listed-task.ts'
import type { Task, TaskProgress, TaskState } from '../../domain/task/task.ts'
import { CannotUnseal, type Sealer } from '../../runtime/crypto/seal.ts'
import { openColumn, type SealedPlace } from '../secrets/sealed-columns.ts'
import { sql } from '../statement.ts'
import { openListing, type StoredListing } from './listings.ts'

/** Beside the page, what its purpose has but the kind. */
interface StoredRequest extends EngineRequest {
  extract?: ExtractOrder
  crawl?: CrawlOrigin
  map?: MapOrder
}

/** Leaves out default options, which most requests have. */
export function writeRequest({ purpose, options, ...request }: ScrapeRequest): string {
  const { kind, ...ofPurpose } = purpose
  const given = options === defaultScrapeOptions ? undefined : options
  return JSON.stringify({ ...request, ...ofPurpose, options: given })
}

/** `kind` is that of a scrape. */
export function readRequest(text: string, kind: ScrapeKind): ScrapeRequest {
  const stored: StoredRequest = { options: defaultScrapeOptions, ...JSON.parse(text) }
  const { extract, crawl, map, ...request } = stored
  return { ...request, purpose: purposeOf(stored, kind) }
}

function purposeOf({ extract, crawl, map }: StoredRequest, kind: ScrapeKind): TaskPurpose {
  // Earlier versions stored a map with an extraction.
  if (map) return { kind: 'map', map }
  if (!extract) return { kind }
  return crawl ? { kind: 'crawl', extract, crawl } : { kind: 'extract', extract }
}

/** The columns of every task that is shown, beside its request. */
export const progressColumns = sql`
    tasks.id, tasks.account_id as "accountId", tasks.kind, tasks.formats, tasks.url, tasks.state, tasks.attempts,
    tasks.attempt_log, tasks.error_code, tasks.error_message, tasks.created_at_ms,
    tasks.completed_at_ms, tasks.job_id, tasks.position,
    coalesce(tasks.started_at_ms,
             (select queue_entries.started_at_ms from queue_entries
              where queue_entries.id = tasks.id)) as started_at_ms`

type ScrapeKind = 'callback' | 'realtime'

interface ProgressRow {
  id: string
  accountId: string
  /** Of a scrape. */
  kind: ScrapeKind
  /** Null for a scrape. */
  formats: string | null
  url: string
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

export interface TaskRow extends ProgressRow {
  request: string
  callback_url: string | null
  callback_on_failure: number
  metadata: string | null
}

export interface ListedTaskRow extends ProgressRow, StoredListing {}

export function toTask(sealer: Sealer, row: TaskRow): Task & TaskProgress {
  const texts = new RowTexts(sealer, row)
  const request = texts.open('tasks.request', row.request)
  const metadata = texts.open('tasks.metadata', row.metadata)
  const task = {
    ...toProgress(texts, row),
    accountId: row.accountId,
    callbackUrl: texts.open('tasks.callback_url', row.callback_url),
    callsBackOnFailure: row.callback_on_failure === 1,
    request: request === null ? unreadableRequest(row) : readRequest(request, row.kind),
    metadata: metadata === null ? null : JSON.parse(metadata),
  }
  return texts.isUnreadable ? { ...task, isUnreadable: true } : task
}

export function toListedTask(sealer: Sealer, row: ListedTaskRow): ListedTask {
  const texts = new RowTexts(sealer, row)
  const listed = texts.read((place) => openListing(sealer, 'tasks', place, row))
  const purpose = { kind: row.formats === null ? row.kind : ('extract' as const) }
  return { ...toProgress(texts, row), request: { ...(listed ?? { url: row.url }), purpose } }
}

const toProgress = (texts: RowTexts, row: ProgressRow) => ({
  id: row.id,
  createdAtMs: row.created_at_ms,
  state: row.state,
  attempts: row.attempts,
  attemptLog: JSON.parse(row.attempt_log),
  error: row.error_code && {
    code: row.error_code,
    message: texts.open('tasks.error_message', row.error_message) ?? '',
  },
  startedAtMs: row.started_at_ms,
  completedAtMs: row.completed_at_ms,
  ...(row.job_id !== null && { job: { id: row.job_id, position: row.position ?? 0 } }),
})

/** Decrypts the texts of a row; one that cannot be is null, so that a list still shows its rows. */
export class RowTexts {
  isUnreadable = false
  readonly #sealer: Sealer
  readonly #place: SealedPlace

  constructor(sealer: Sealer, place: SealedPlace) {
    this.#sealer = sealer
    this.#place = place
  }

  open(column: Parameters<typeof openColumn>[1], text: string | null): string | null {
    return text && this.read((place) => openColumn(this.#sealer, column, place, text))
  }

  read<Value>(open: (place: SealedPlace) => Value): Value | null {
    try {
      return open(this.#place)
    } catch (error) {
      if (!(error instanceof CannotUnseal)) throw error
      this.isUnreadable = true
      return null
    }
  }
}

/** A placeholder that is never run. `url` is the requested one without its query. */
const unreadableRequest = ({ url, kind, formats }: ProgressRow): ScrapeRequest => ({
  url,
  options: defaultScrapeOptions,
  timeoutMs: 0,
  forwardedHeaders: {},
  purpose:
    formats === null
      ? { kind }
      : { kind: 'extract', extract: { ...plainOrder, processingMode: 'async' } },
})
