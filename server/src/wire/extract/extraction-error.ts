import { type FailureCode, failures } from '../../domain/failure.ts'
import type { TaskError, TaskProgress } from '../../domain/task/task.ts'

/** Every error code that the clients of `/v1` know; they refuse a body with any other. */
export const extractionErrorCodes = [
  'RATE_LIMITED',
  'WORK_CONCURRENCY_LIMITED',
  'WORK_CONCURRENCY_LEASE_EXPIRED',
  'TEMPORARY_BLOCK',
  'NETWORK_ERROR',
  'CAPTCHA_CHALLENGE',
  'PERMANENT_BLOCK',
  'INVALID_URL',
  'INVALID_WAIT_FOR_SELECTOR',
  'WAIT_FOR_SELECTOR_TIMEOUT',
  'UNPROCESSABLE_CONTENT',
  'AUTH_REQUIRED',
  'TIMEOUT',
  'CANCELLED',
  'PAYMENT_REQUIRED',
  'INTERNAL_ERROR',
  'PROXY_ERROR',
] as const

type ExtractionErrorCode = (typeof extractionErrorCodes)[number]

const codes = {
  BAD_REQUEST: 'UNPROCESSABLE_CONTENT',
  VALIDATION_ERROR: 'UNPROCESSABLE_CONTENT',
  UNAUTHORIZED: 'INTERNAL_ERROR',
  PAYMENT_REQUIRED: 'PAYMENT_REQUIRED',
  FORBIDDEN: 'INTERNAL_ERROR',
  NOT_FOUND: 'INTERNAL_ERROR',
  METHOD_NOT_ALLOWED: 'INTERNAL_ERROR',
  REQUEST_TIMEOUT: 'INTERNAL_ERROR',
  CONFLICT: 'INTERNAL_ERROR',
  PAYLOAD_TOO_LARGE: 'UNPROCESSABLE_CONTENT',
  URI_TOO_LONG: 'INTERNAL_ERROR',
  UNSUPPORTED_MEDIA_TYPE: 'UNPROCESSABLE_CONTENT',
  HEADERS_TOO_LARGE: 'INTERNAL_ERROR',
  URL_NOT_ALLOWED: 'INVALID_URL',
  NO_PROXY_AVAILABLE: 'PROXY_ERROR',
  // A task has this error for a 429 of its target; our own 429 has the body `ErrorObject`.
  RATE_LIMITED: 'TEMPORARY_BLOCK',
  CHALLENGE: 'CAPTCHA_CHALLENGE',
  QUEUE_FULL: 'RATE_LIMITED',
  OVERLOADED: 'INTERNAL_ERROR',
  BROWSER_UNAVAILABLE: 'INTERNAL_ERROR',
  SHUTTING_DOWN: 'INTERNAL_ERROR',
  STORE_UNAVAILABLE: 'INTERNAL_ERROR',
  STORE_FULL: 'INTERNAL_ERROR',
  SEARCH_UNAVAILABLE: 'INTERNAL_ERROR',
  INTERNAL_ERROR: 'INTERNAL_ERROR',
  TARGET_UNREACHABLE: 'NETWORK_ERROR',
  TARGET_DNS_FAILED: 'NETWORK_ERROR',
  TARGET_TLS_FAILED: 'NETWORK_ERROR',
  TARGET_TIMEOUT: 'TIMEOUT',
  RESPONSE_TOO_LARGE: 'UNPROCESSABLE_CONTENT',
  BAD_RESPONSE: 'UNPROCESSABLE_CONTENT',
  UNSUPPORTED_CONTENT: 'UNPROCESSABLE_CONTENT',
  CONTENT_TOO_COMPLEX: 'UNPROCESSABLE_CONTENT',
  ROBOTS_DISALLOWED: 'UNPROCESSABLE_CONTENT',
  OUT_OF_SCOPE: 'UNPROCESSABLE_CONTENT',
  TOO_MANY_REDIRECTS: 'UNPROCESSABLE_CONTENT',
  SELECTOR_NOT_FOUND: 'WAIT_FOR_SELECTOR_TIMEOUT',
  ACTION_FAILED: 'UNPROCESSABLE_CONTENT',
  PROXY_FAILED: 'PROXY_ERROR',
  BROWSER_CRASHED: 'INTERNAL_ERROR',
  SCREENSHOT_FAILED: 'UNPROCESSABLE_CONTENT',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'TIMEOUT',
} satisfies Record<FailureCode, ExtractionErrorCode>

/** Why the task has no result; null while it may still get one. */
export function errorOf(task: Pick<TaskProgress, 'state' | 'error'>): TaskError | null {
  const cancelled: TaskError = { code: 'CANCELLED', message: 'The task was cancelled.' }
  return task.state === 'cancelled' ? cancelled : task.error
}

/** Maps a failure to an error of `/v1`, with the failure's own code as the reason. */
export const toExtractionError = ({ code, message }: TaskError, correlationId: string) => ({
  code: codes[code],
  message,
  retryable: failures[code].isRetryable,
  details: { reason: code },
  correlation_id: correlationId,
})
