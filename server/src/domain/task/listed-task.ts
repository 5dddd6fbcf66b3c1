import type { DeliveryOfTask, LoggedAttempt } from '../delivery/delivery-views.ts'
import type { JobKind } from '../job/job.ts'
import { redactUrl } from '../redact-url.ts'
import type { FormatName } from '../scrape/extract-options.ts'
import type { ScrapeRequest, TaskPurpose } from '../scrape/scrape-request.ts'
import type { Task, TaskProgress } from './task.ts'

/** What lists show of a request. A list reads many, and a whole one may be long. */
export type ListedRequest = Pick<ScrapeRequest, 'url' | 'retryOf'>

/** Pages of jobs are extractions here; their jobs say more. */
type ListedPurpose = Pick<TaskPurpose, 'kind'>

/** A task as lists have it. */
export interface ListedTask extends Pick<Task, 'id' | 'createdAtMs' | 'job'>, TaskProgress {
  request: ListedRequest & { purpose: ListedPurpose }
}

export const toListedRequest = ({ url, retryOf }: ScrapeRequest): ListedRequest => ({
  url: redactUrl(url),
  retryOf,
})

/** A task of any kind, as a search finds it. */
export interface SearchedTask extends ListedTask, TaskOrigin {}

/** What the tables beside it say of a task. */
export interface TaskOrigin {
  /** The kind of the job that it belongs to. */
  jobKind: JobKind | null
  /** The size of the stored result; null where there is none. */
  bytes: number | null
  /** Empty for a scrape. */
  formats: FormatName[]
}

/** A task with everything but its content. */
export interface DetailedTask extends Task, TaskProgress, TaskOrigin {
  deliveries: (DeliveryOfTask & { attemptLog: LoggedAttempt[] })[]
}
