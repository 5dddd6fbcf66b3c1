import { redactUrl } from '../redact-url.ts'
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
