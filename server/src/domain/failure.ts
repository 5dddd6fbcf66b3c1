/**
 * The types and pure decisions of Trawl. Nothing in this folder uses a clock, a database or a socket;
 * zod, css-select, which checks selectors, and tldts, which knows the public suffixes, are its only
 * dependencies. A failure is an expected error with a code for the caller; any other error that is
 * thrown is a bug.
 */

/** What a failure code means. `isRetryable` is advice to the caller, not our own retry rule. */
interface FailureMeaning {
  isRetryable: boolean
  meaning: string
}

const final = (meaning: string): FailureMeaning => ({ isRetryable: false, meaning })
const retryable = (meaning: string): FailureMeaning => ({ isRetryable: true, meaning })

/** Every failure code; `http/errors/problem.ts` has their statuses, the reference page lists them. */
export const failures = {
  BAD_REQUEST: final('The request is not well-formed HTTP.'),
  VALIDATION_ERROR: final('The request is not valid; `detail` names each error.'),
  UNAUTHORIZED: final('Credentials are missing or wrong.'),
  PAYMENT_REQUIRED: final("The account's quota is spent."),
  FORBIDDEN: final('The credentials are valid but do not allow this.'),
  NOT_FOUND: final('Nothing is here, or nothing that this account may see.'),
  METHOD_NOT_ALLOWED: final('The path exists, but not with this method; see the `Allow` header.'),
  REQUEST_TIMEOUT: retryable('The request did not arrive in time.'),
  CONFLICT: final('The state of the resource does not allow this.'),
  PAYLOAD_TOO_LARGE: final('The request body is larger than this route accepts.'),
  URI_TOO_LONG: final('The request line is too long.'),
  UNSUPPORTED_MEDIA_TYPE: final('The body must be sent as `application/json`.'),
  HEADERS_TOO_LARGE: final('The request headers are too large.'),
  URL_NOT_ALLOWED: final('The egress guard blocks that address (SSRF protection).'),
  NO_PROXY_AVAILABLE: final('No configured proxy has the country or type asked for.'),
  RATE_LIMITED: retryable(
    'Too many requests; wait as long as `Retry-After` says. As the reason of a failed extraction: the target says so.',
  ),
  QUEUE_FULL: retryable('The queue is full; wait as long as `Retry-After` says.'),
  OVERLOADED: retryable(
    'The service is overloaded; wait as long as `Retry-After` says. As the reason of a failed task: the page arrived, but was not converted while its caller waited.',
  ),
  BROWSER_UNAVAILABLE: retryable('The task needs a browser and none is ready.'),
  SHUTTING_DOWN: retryable('This process is stopping; send the request again.'),
  STORE_UNAVAILABLE: retryable(
    'The store does not answer, is locked, or cannot be used by this process any more.',
  ),
  STORE_FULL: retryable(
    'The disk is nearly full, or the account has used up its storage; reading still works.',
  ),
  SEARCH_UNAVAILABLE: final('No search engine is configured; waiting does not help.'),
  INTERNAL_ERROR: retryable('An error in the service; the log has it under the correlation id.'),
  TARGET_UNREACHABLE: retryable('No connection to the target could be made.'),
  TARGET_DNS_FAILED: retryable(
    "The target's name could not be resolved, or no DNS server answered.",
  ),
  TARGET_TLS_FAILED: final("The target's certificate is not valid or the TLS handshake failed."),
  TARGET_TIMEOUT: retryable('The target did not answer in time.'),
  RESPONSE_TOO_LARGE: final("The target's response is larger than the limits."),
  BAD_RESPONSE: retryable("The target's response is not HTTP, is cut off or cannot be decoded."),
  UNSUPPORTED_CONTENT: final(
    'The target sent content that cannot be read, such as an encrypted PDF.',
  ),
  CONTENT_TOO_COMPLEX: final(
    'The page has too many elements or is nested too deeply to be read, or takes too long to convert.',
  ),
  CHALLENGE: retryable(
    'The target wants its visitor to prove to be human (a challenge or CAPTCHA page).',
  ),
  ROBOTS_DISALLOWED: final("The site's robots.txt forbids to fetch the page."),
  OUT_OF_SCOPE: final('The page redirected to a site outside the crawl.'),
  TOO_MANY_REDIRECTS: final('The target redirected more often than allowed.'),
  SELECTOR_NOT_FOUND: retryable('The selector waited for did not appear in time.'),
  ACTION_FAILED: retryable('A step of the scenario failed.'),
  PROXY_FAILED: retryable('The proxy refused or broke the connection.'),
  BROWSER_CRASHED: retryable('The browser died while it had the page open.'),
  SCREENSHOT_FAILED: retryable('The screenshot could not be taken.'),
  CANCELLED: final('The task was cancelled.'),
  EXPIRED: final('The result is no longer kept.'),
} satisfies Record<string, FailureMeaning>

export type FailureCode = keyof typeof failures

/** An expected error. `message` is shown to the caller; `cause` is for the log only. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly retryAfterSeconds: number | undefined
  /** The proxy itself failed: it would have failed with any other target too. */
  readonly isProxyUnusable: boolean
  /** The target is a file, which a browser does not give; over HTTP it can be had. */
  readonly isFile: boolean

  constructor(
    code: FailureCode,
    message: string,
    options: {
      cause?: unknown
      retryAfterSeconds?: number
      isProxyUnusable?: boolean
      isFile?: boolean
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'Failure'
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.isProxyUnusable = options.isProxyUnusable ?? false
    this.isFile = options.isFile ?? false
  }
}
