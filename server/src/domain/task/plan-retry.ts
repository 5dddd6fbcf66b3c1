import { Failure } from '../failure.ts'
import {
  type ExtractOrder,
  plainOrder,
  type ScrapeRequest,
  type TaskPurpose,
} from '../scrape/scrape-request.ts'
import type { Task } from './task.ts'

export type Retry = Pick<Task, 'callbackUrl' | 'callsBackOnFailure' | 'metadata' | 'request'>

const timeoutMsMax = 300_000

/**
 * The request of a task as a new task runs it. Only a callback keeps a scrape what it is: without one
 * nobody waits for the result, so it becomes an extraction, whose result is read later.
 */
export function planRetry(task: Task, { callsBack }: { callsBack: boolean }): Retry {
  const { id, metadata, callsBackOnFailure } = task
  const { isProxied, purpose, ...fetched } = task.request
  if (purpose.kind === 'map')
    throw new Failure('CONFLICT', 'A map is made again with POST /v1/map.')
  const callbackUrl = callsBack ? task.callbackUrl : null
  const request = { ...fetched, retryOf: id }
  if (callbackUrl !== null) {
    return { callbackUrl, callsBackOnFailure, metadata, request: { ...request, purpose } }
  }
  const retry = { callbackUrl, callsBackOnFailure: false, metadata }
  if ('extract' in purpose) {
    return { ...retry, request: { ...request, purpose: readLater(purpose.extract) } }
  }
  const { options } = task.request
  const extract = { ...plainOrder, renderJs: options.js_render, formats: ['html' as const] }
  const timeoutMs = wholeTimeoutMs(task.request)
  return { ...retry, request: { ...request, timeoutMs, purpose: readLater(extract) } }
}

/** A result that was served from the cache is fetched this time. */
const readLater = ({ cachedFrom, ...order }: ExtractOrder): TaskPurpose => ({
  kind: 'extract',
  extract: { ...order, processingMode: 'async' },
})

/** The time limit of a scrape is for each attempt, that of an extraction for all of them. */
const wholeTimeoutMs = ({ timeoutMs, options: { retries } }: ScrapeRequest): number =>
  Math.min(timeoutMs * (retries.useRetries ? retries.maxRetries + 1 : 1), timeoutMsMax)
