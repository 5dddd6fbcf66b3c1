import type { ExtractOrder, ScrapeRequest } from '../scrape/scrape-request.ts'
import type { Task } from './task.ts'

export type Retry = Pick<Task, 'callbackUrl' | 'callsBackOnFailure' | 'metadata' | 'request'>

const timeoutMsMax = 300_000

/**
 * The request of a task as a new task runs it. Only a callback keeps a scrape what it is: without one
 * nobody waits for the result, so it becomes an extraction, whose result is read later.
 */
export function planRetry(task: Task, { callsBack }: { callsBack: boolean }): Retry {
  const { id, metadata, callsBackOnFailure } = task
  const { isProxied, crawl, extract, ...fetched } = task.request
  const callbackUrl = callsBack ? task.callbackUrl : null
  const request = { ...fetched, retryOf: id }
  if (callbackUrl !== null) return { callbackUrl, callsBackOnFailure, metadata, request }
  return {
    callbackUrl,
    callsBackOnFailure: false,
    metadata,
    request: extract
      ? { ...request, extract: readLater(extract) }
      : { ...request, timeoutMs: wholeTimeoutMs(task.request), extract: pageOf(task.request) },
  }
}

/** A result that was served from the cache is fetched this time. */
const readLater = ({ cachedFrom, ...order }: ExtractOrder): ExtractOrder => ({
  ...order,
  processingMode: 'async',
})

const pageOf = ({ options }: ScrapeRequest): ExtractOrder => ({
  processingMode: 'async',
  renderJs: options.js_render,
  formats: ['html'],
  isMainContentOnly: false,
  hasLinks: false,
  proxy: null,
  headers: null,
  waitConfig: null,
})

/** The time limit of a scrape is for each attempt, that of an extraction for all of them. */
const wholeTimeoutMs = ({ timeoutMs, options: { retries } }: ScrapeRequest): number =>
  Math.min(timeoutMs * (retries.useRetries ? retries.maxRetries + 1 : 1), timeoutMsMax)
