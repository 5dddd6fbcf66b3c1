import { redactUrl } from '../redact-url.ts'
import type { ScrapeRequest } from '../scrape/scrape-request.ts'
import type { Task, TaskProgress } from './task.ts'

/** What lists show of a request. A list reads many, and a whole one may be long. */
export type ListedRequest = Pick<ScrapeRequest, 'url' | 'retryOf'>

/** A task as lists have it. */
export interface ListedTask
  extends Pick<Task, 'id' | 'kind' | 'createdAtMs' | 'job'>,
    TaskProgress {
  request: ListedRequest
}

export const toListedRequest = ({ url, retryOf }: ScrapeRequest): ListedRequest => ({
  url: redactUrl(url),
  retryOf,
})
