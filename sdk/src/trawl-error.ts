import type { Fault } from './api.ts'

/** What went wrong with a call, as far as the service or the connection said. */
export interface TrawlErrorDetails {
  /** `NOT_FOUND`, `RATE_LIMITED`, …: the code of the service, or one of this package. */
  code: string
  /** The HTTP status; undefined where there was no response. */
  status?: number | undefined
  /** Names the request in the log of the service. */
  correlationId?: string | undefined
  /** Whether the same call may succeed later. */
  retryable?: boolean | undefined
  /** Seconds to wait before the next try, where the service named them. */
  retryAfter?: number | undefined
  /** The error as the service wrote it; undefined where there was none in JSON. */
  body?: unknown
  cause?: unknown
}

/** The base of every error that this package throws; an aborted call throws its signal's reason. */
export class TrawlError extends Error {
  override name = 'TrawlError'
  readonly code: string
  readonly status: number | undefined
  readonly correlationId: string | undefined
  readonly retryable: boolean
  readonly retryAfter: number | undefined
  readonly body: unknown

  constructor(message: string, details: TrawlErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = details.code
    this.status = details.status
    this.correlationId = details.correlationId
    this.retryable = details.retryable ?? false
    this.retryAfter = details.retryAfter
    this.body = details.body
  }
}

/** 401 and 403: credentials are missing or wrong, or do not open this. */
export class AuthError extends TrawlError {
  override name = 'AuthError'
}

/** 404 and 410: there is no such thing, or it is no longer kept. */
export class NotFoundError extends TrawlError {
  override name = 'NotFoundError'
}

/** 409: not in this state. */
export class ConflictError extends TrawlError {
  override name = 'ConflictError'
}

/** 429: too many requests, or too much work is waiting. */
export class RateLimitError extends TrawlError {
  override name = 'RateLimitError'
}

/** The request is not valid; `detail` names each fault. */
export class ValidationError extends TrawlError {
  override name = 'ValidationError'
  readonly detail: readonly Fault[]

  constructor(message: string, details: TrawlErrorDetails & { detail: readonly Fault[] }) {
    super(message, details)
    this.detail = details.detail
  }
}

/** The page could not be scraped. `code` is the kind of failure, `reason` the exact one. */
export class ScrapeError extends TrawlError {
  override name = 'ScrapeError'
  readonly reason: string
  /** The job under which the failure is kept. */
  readonly jobId: string | undefined

  constructor(
    message: string,
    details: TrawlErrorDetails & { reason?: string | undefined; jobId?: string | undefined },
  ) {
    super(message, details)
    this.reason = details.reason ?? details.code
    this.jobId = details.jobId
  }
}

/** 5xx: the service failed, is overloaded or is stopping. */
export class ServerError extends TrawlError {
  override name = 'ServerError'
}

/** 503: the request needs an engine, such as a browser, that the service does not have now. */
export class EngineUnavailableError extends ServerError {
  override name = 'EngineUnavailableError'
}

/** There was no response: refused, reset, cut off, or not HTTP. */
export class ConnectionError extends TrawlError {
  override name = 'ConnectionError'
}

/** The call, or the wait for a job, took longer than its `timeout`. */
export class TimeoutError extends TrawlError {
  override name = 'TimeoutError'
}

/** A received message is not from the service, was changed on its way, or is too old. */
export class WebhookError extends TrawlError {
  override name = 'WebhookError'
}
