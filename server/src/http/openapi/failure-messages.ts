import type { FailureCode } from '../../domain/failure.ts'
import { type FamilyName, isForOperator } from '../family.ts'
import type { Route } from '../route.ts'

interface Wording {
  /** What went wrong, in the form of a type's name. */
  name: string
  message: string
}

/** What the route sends with a failure, for the error examples of the OpenAPI document. */
export function exampleWording(
  { operationId, family }: Pick<Route, 'operationId' | 'family'>,
  code: FailureCode,
): Wording {
  if (code === 'NOT_FOUND') return absences[family] ?? taskNotFound
  if (code === 'CONFLICT') return conflicts[operationId] ?? keyInProgress
  if (code === 'FORBIDDEN' && isForOperator(family)) return operatorOnly
  return { name: pascalCase(code), message: usual[code] }
}

export const pascalCase = (name: string): string =>
  name.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const taskNotFound = { name: 'TaskNotFound', message: 'There is no such task.' }
const keyInProgress = {
  name: 'KeyInProgress',
  message: 'A request with this key is in progress. Retry in a moment.',
}
const operatorOnly = {
  name: 'OperatorOnly',
  message: 'Only the first account, the operator, may see this.',
}
const taskEnded = { name: 'TaskEnded', message: 'The task has ended already.' }
const taskNotEnded = { name: 'TaskNotEnded', message: 'The task has not ended yet.' }

const absences: Partial<Record<FamilyName, Wording>> = {
  jobs: { name: 'JobNotFound', message: 'There is no batch, crawl or map with this id.' },
  batch: { name: 'BatchNotFound', message: 'There is no such batch.' },
  crawl: { name: 'CrawlNotFound', message: 'There is no such crawl.' },
  map: { name: 'MapNotFound', message: 'There is no such map.' },
  search: { name: 'SearchNotFound', message: 'There is no search with this id.' },
  configuration: { name: 'WhitelistedIpNotFound', message: 'An address is not on the list.' },
  webhooks: { name: 'WebhookNotFound', message: 'There is no such webhook.' },
  keys: { name: 'KeyNotFound', message: 'There is no such key.' },
}

const conflicts: Record<string, Wording> = {
  cancelTask: taskEnded,
  cancelTaskById: taskEnded,
  getTaskResult: taskNotEnded,
  getTaskScreenshot: taskNotEnded,
  getExtractFile: taskNotEnded,
  previewTask: taskNotEnded,
  retryTask: taskNotEnded,
  redeliverTask: {
    name: 'NoCallbackToSend',
    message: 'There is no callback to send again: none was due, or not yet.',
  },
  cancelBatch: { name: 'BatchEnded', message: 'The batch has ended or was cancelled already.' },
  cancelCrawl: { name: 'CrawlEnded', message: 'The crawl has ended or was cancelled already.' },
  retryFailedOfBatch: { name: 'NoFailedPages', message: 'No page of this batch has failed.' },
  createWebhook: {
    name: 'TooManyWebhooks',
    message: 'An account may have 10 webhooks. Delete one first.',
  },
}

const usual = {
  BAD_REQUEST: 'This is not a well-formed HTTP/1.1 request.',
  VALIDATION_ERROR: 'An address is on the list already.',
  UNAUTHORIZED: 'Credentials are missing or wrong.',
  PAYMENT_REQUIRED: "The account's quota is spent.",
  FORBIDDEN:
    'A page of another origin caused this request, and the browser added the credentials. Send X-Api-Key instead, or name the origin of your pages in TRAWL_PUBLIC_URL or their host in TRAWL_ALLOWED_HOSTS.',
  METHOD_NOT_ALLOWED: 'This path accepts GET, HEAD only.',
  REQUEST_TIMEOUT: 'The request did not arrive in time. Send it faster.',
  PAYLOAD_TOO_LARGE: 'The body is larger than this service accepts.',
  URI_TOO_LONG: 'The request line is too long.',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body as application/json.',
  HEADERS_TOO_LARGE: 'The request headers are too large.',
  URL_NOT_ALLOWED:
    'This service may not reach that URL; its operator can open private addresses with TRAWL_EGRESS_ALLOW.',
  NO_PROXY_AVAILABLE:
    'No proxy for the country IS is configured. Request another country or type, or add one to TRAWL_PROXIES.',
  RATE_LIMITED: 'More than 100 requests in 60 s. Wait.',
  QUEUE_FULL: 'The queue is full. Retry later.',
  OVERLOADED: 'The service is overloaded. Retry in a moment.',
  BROWSER_UNAVAILABLE:
    'This task needs a browser (js_render), and Chromium is still being installed. Plain HTTP scraping works. Retry in a moment.',
  SHUTTING_DOWN: 'This process is shutting down. Try again in a moment.',
  STORE_UNAVAILABLE: 'The store does not answer. Retry in a moment.',
  STORE_FULL: 'The disk is nearly full; reading still works. Retry later.',
  SEARCH_UNAVAILABLE: 'This service has no search engine configured.',
  INTERNAL_ERROR:
    'Something broke on our side. Please report 01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917.',
  TARGET_UNREACHABLE: 'No connection to the target could be made.',
  TARGET_DNS_FAILED: "The target's name could not be resolved; check the host in the URL.",
  TARGET_TLS_FAILED: "The target's certificate is not valid or the TLS handshake failed.",
  TARGET_TIMEOUT: 'The target took too long to connect, to respond or to send on.',
  RESPONSE_TOO_LARGE: "The target's response is larger than 20 MiB.",
  BAD_RESPONSE: "The target's response is not HTTP, has headers that are too large or is cut off.",
  UNSUPPORTED_CONTENT: 'The PDF is encrypted with a password.',
  CONTENT_TOO_COMPLEX: 'The PDF takes too much time or memory to be read.',
  CHALLENGE:
    'The target answered 403 with a challenge page. Another proxy, or `render_js`, may pass it.',
  ROBOTS_DISALLOWED:
    "The site's robots.txt forbids to fetch the page; respect_robots: false fetches it all the same.",
  OUT_OF_SCOPE: 'The page redirected to a site outside the crawl.',
  TOO_MANY_REDIRECTS:
    'The target redirected more than 10 times; it may want cookies or other headers.',
  SELECTOR_NOT_FOUND: 'Nothing matched the selector in time: #price',
  ACTION_FAILED: 'Action 0 (click) failed: nothing matched the selector in time.',
  PROXY_FAILED: 'The proxy refused or broke the connection.',
  BROWSER_CRASHED: 'The browser crashed.',
  SCREENSHOT_FAILED: 'At this scale the image would have no pixel.',
  CANCELLED: 'The task was cancelled.',
  EXPIRED: 'The result is no longer kept.',
} satisfies Record<Exclude<FailureCode, 'NOT_FOUND' | 'CONFLICT'>, string>
