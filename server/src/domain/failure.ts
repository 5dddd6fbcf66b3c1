/**
 * The words and decisions of Trawl. Nothing in this folder knows a clock, a database or a socket;
 * zod is its only dependency. A failure is an expected error that a caller is told about by its
 * code; whatever is thrown and is not a `Failure` is a bug.
 */

/** What one failure code means to a caller. `isRetryable` is advice to the caller, not our own retry rule. */
interface FailureMeaning {
  isRetryable: boolean
  meaning: string
}

const final = (meaning: string): FailureMeaning => ({ isRetryable: false, meaning })
const retryable = (meaning: string): FailureMeaning => ({ isRetryable: true, meaning })

/** Every failure code; `http/problem.ts` gives each its status and the reference page lists them. */
export const failures = {
  BAD_REQUEST: final('What arrived is not a well-formed HTTP request.'),
  VALIDATION_ERROR: final('The request has faults; each is named in `detail`.'),
  UNAUTHORIZED: final('Credentials are missing or wrong.'),
  PAYMENT_REQUIRED: final("The account's quota is spent."),
  FORBIDDEN: final('The credentials are good but do not open this, or not in this way.'),
  NOT_FOUND: final('There is nothing here, or nothing this account may see.'),
  METHOD_NOT_ALLOWED: final('The path exists, but not with this method; see the `Allow` header.'),
  REQUEST_TIMEOUT: retryable('The request did not arrive in time.'),
  CONFLICT: final('The state of the resource does not allow this.'),
  PAYLOAD_TOO_LARGE: final('The request body is larger than this route takes.'),
  URI_TOO_LONG: final('The request line is too long.'),
  UNSUPPORTED_MEDIA_TYPE: final('The body must be sent as `application/json`.'),
  HEADERS_TOO_LARGE: final('The request headers are too large.'),
  URL_NOT_ALLOWED: final('The egress guard does not let this service reach that address.'),
  NO_PROXY_AVAILABLE: final('No configured proxy has the country or type asked for.'),
  RATE_LIMITED: retryable('Too many requests; wait as long as `Retry-After` says.'),
  QUEUE_FULL: retryable('The queue is full; wait as long as `Retry-After` says.'),
  OVERLOADED: retryable('The service is at its limits; wait as long as `Retry-After` says.'),
  BROWSER_UNAVAILABLE: retryable('The task needs a browser and none is ready.'),
  SHUTTING_DOWN: retryable('This process is stopping; ask again, another one will answer.'),
  STORE_UNAVAILABLE: retryable('The store does not answer or is locked.'),
  STORE_FULL: retryable(
    'The disk is full or nearly so, or the account keeps as much as it may; reading goes on.',
  ),
  INTERNAL_ERROR: retryable('A fault of ours; the log has it under the correlation id.'),
  TARGET_UNREACHABLE: retryable('No connection to the target could be made.'),
  TARGET_DNS_FAILED: retryable("The target's name could not be resolved."),
  TARGET_TLS_FAILED: final("The target's certificate or TLS handshake is not good."),
  TARGET_TIMEOUT: retryable('The target did not answer in time.'),
  RESPONSE_TOO_LARGE: final("The target's answer is larger than the limits."),
  BAD_RESPONSE: retryable("The target's answer is not HTTP, is cut off or cannot be decoded."),
  TOO_MANY_REDIRECTS: final('The target redirected more often than allowed.'),
  SELECTOR_NOT_FOUND: retryable('The selector waited for did not appear in time.'),
  ACTION_FAILED: retryable('A step of the scenario failed.'),
  PROXY_FAILED: retryable('The proxy refused or broke the connection.'),
  BROWSER_CRASHED: retryable('The browser died while it had the page.'),
  SCREENSHOT_FAILED: retryable('The screenshot could not be taken.'),
  CANCELLED: final('The task was cancelled.'),
  EXPIRED: final('The result is no longer kept.'),
} satisfies Record<string, FailureMeaning>

export type FailureCode = keyof typeof failures

/** An expected error. `message` is shown to the caller; `cause` is for the log only. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly retryAfterSeconds: number | undefined
  /** The proxy could not be used, and would not have been with any other target. */
  readonly isProxyUnusable: boolean

  constructor(
    code: FailureCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number; isProxyUnusable?: boolean } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'Failure'
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.isProxyUnusable = options.isProxyUnusable ?? false
  }
}
