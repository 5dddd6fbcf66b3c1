import { Failure } from '../../domain/failure.ts'
import { parseUrl } from '../../domain/parse-url.ts'
import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import type { JarCookie } from '../../domain/scrape/jar-cookie.ts'
import type { AttemptTimings, Page, PageCookie } from '../../domain/scrape/page.ts'
import type { ScrapeOptions } from '../../domain/scrape/scrape-options.ts'
import {
  type EngineRequest,
  type TargetRequest,
  type TaskPurpose,
  timeoutAdvice,
} from '../../domain/scrape/scrape-request.ts'
import type {
  ExchangeLimits,
  HttpClient,
  OutboundRequest,
  OutboundResponse,
} from '../../outbound/client/http-client.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import { toFailure } from '../request/outbound-failures.ts'
import { bareUrl, findRedirect, redirectsMax, tooManyRedirects } from '../request/redirects.ts'
import {
  callerHeaders,
  chromeHeaders,
  type Headers,
  mergeHeaders,
} from '../request/request-headers.ts'
import { urlCredentials } from '../request/url-credentials.ts'
import { type CookieJar, openCookieJar } from './cookie-jar.ts'
import { addExchange, createExchangeTotals, type ExchangeTotals } from './exchange-totals.ts'

/** Fetches pages without a browser. */
export interface HttpEngine {
  fetch(order: HttpFetchOrder): Promise<HttpFetchResult>
}

export interface HttpFetchOrder extends Omit<EngineRequest, 'options'> {
  /** For advice in messages. */
  purpose?: TaskPurpose | undefined
  /** Whose connections and memory it uses. */
  accountId?: string | undefined
  options: HttpOptions
  signal: AbortSignal
  /** Where a large body reserves memory; small bodies reserve none. */
  memory?: OutboundRequest['memory']
  /** Opens new connections instead of pooled ones, so that every timing is this task's. */
  isMeasured?: boolean | undefined
  /** A longer body is cut off, where only its beginning is wanted. */
  bodyCutAt?: number | undefined
  /** Every request, redirects included, goes through this proxy. */
  proxy?: ProxyRoute | undefined
  /** The cookies of a session: they are sent where they belong, and the result has them afterwards. */
  jar?: readonly JarCookie[] | undefined
}

export type HttpOptions = Pick<
  ScrapeOptions,
  'keep_headers' | 'device_type' | 'is_json_response' | 'cookies'
>

export interface HttpFetchResult {
  page: Page
  timings: AttemptTimings
  jar?: JarCookie[] | undefined
}

const limits: ExchangeLimits = {
  dnsMs: 4_000,
  connectMs: 10_000,
  tlsMs: 10_000,
  headersMs: 30_000,
  idleMs: 15_000,
  headerBytesMax: 32 * 1024,
  bodyBytesMax: 20 * 2 ** 20,
}

const adviceEnds = `A response has to begin within ${limits.headersMs / 1_000} s, whatever the timeout.`

export function createHttpEngine({ client }: { client: HttpClient }): HttpEngine {
  return {
    async fetch(order) {
      const late = () =>
        new Failure(
          'TARGET_TIMEOUT',
          `The target did not answer within ${order.timeoutMs} ms; ${timeoutAdvice(order)}. ${adviceEnds}`,
        )
      const limits = { ms: order.timeoutMs, signal: order.signal, late }
      try {
        return await withDeadline((signal) => fetchWithRedirects(client, order, signal), limits)
      } catch (error) {
        throw error instanceof OutboundError ? toFailure(error) : error
      }
    },
  }
}

/** Follows redirects. The egress guard checks the URL of every hop, which prevents SSRF by redirect. */
async function fetchWithRedirects(
  client: HttpClient,
  order: HttpFetchOrder,
  signal: AbortSignal,
): Promise<HttpFetchResult> {
  const { options, isMeasured } = order
  const target = parseUrl(order.url)
  if (!target) throw new Failure('URL_NOT_ALLOWED', 'The target is not a valid URL.')
  let url = bareUrl(target)
  let personal = personalHeaders(order, target)
  let cookies: CookieJar | undefined
  if (options.cookies.length > 0 || order.jar?.length) {
    cookies = await openCookieJar(options.cookies, url, order.jar)
  }
  const totals = createExchangeTotals()
  let { method, body }: Pick<TargetRequest, 'method' | 'body'> = order.target ?? { method: 'GET' }

  for (let redirects = 0; ; redirects += 1) {
    const chrome = chromeHeaders({
      deviceType: options.device_type,
      isJson: options.is_json_response,
      url,
    })
    const headers = withCookies(personal ? mergeHeaders(chrome, personal) : chrome, cookies, url)
    const response = await client.send({
      method,
      url,
      accountId: order.accountId,
      headers,
      body: body === undefined ? undefined : Buffer.from(body),
      purpose: 'target',
      limits:
        order.bodyCutAt === undefined
          ? limits
          : { ...limits, bodyBytesMax: order.bodyCutAt, isBodyCut: true },
      signal,
      isMeasured,
      memory: order.memory,
      proxy: order.proxy,
    })
    addExchange(totals, url, response)
    const setCookies = listSetCookies(response)
    if (setCookies.length > 0) {
      cookies ??= await openCookieJar([], url)
      cookies.storeSetCookies(setCookies, url)
    }
    const next = findRedirect(response, url)
    if (!next) {
      const jar = order.jar && ((await cookies?.dump()) ?? [])
      // A session has cookies of other sites too, which are not a part of this page.
      const shown = jar ? [] : ((await cookies?.list()) ?? [])
      return { page: toPage(response, url, shown, totals), timings: totals.timings, jar }
    }
    if (redirects === redirectsMax) throw tooManyRedirects()
    // Another origin must not see the caller's headers; they stay off if it redirects back.
    if (next.origin !== url.origin) personal = contentHeaders(personal, true)
    if (!keepsMethod(response.statusCode, method)) {
      method = 'GET'
      body = undefined
      personal = contentHeaders(personal, false)
    }
    url = next
  }
}

/** Browsers turn a redirected POST into a GET, unless the status says that the method stays. */
const keepsMethod = (statusCode: number, method: TargetRequest['method']): boolean =>
  statusCode === 307 || statusCode === 308 || (statusCode !== 303 && method !== 'POST')

/** The headers that describe the body, or all others. */
const contentHeaders = (headers: Headers | undefined, isWanted: boolean): Headers | undefined =>
  headers &&
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith('content-') === isWanted),
  )

/** The caller's headers for the target, and the credentials of the URL as HTTP Basic. */
function personalHeaders(order: HttpFetchOrder, target: URL): Headers | undefined {
  const kept = callerHeaders(order)
  const credentials = urlCredentials(target)
  if (!credentials) return kept
  const pair = `${credentials.username}:${credentials.password}`
  return { ...kept, authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

function withCookies(headers: Headers, cookies: CookieJar | undefined, url: URL): Headers {
  const cookie = cookies?.headerFor(url)
  return cookie === undefined ? headers : { ...headers, cookie }
}

const listSetCookies = ({ headers }: OutboundResponse): string[] =>
  headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value)

function toPage(
  { statusCode, headers, body }: OutboundResponse,
  url: URL,
  cookies: PageCookie[],
  { bandwidth, requests }: ExchangeTotals,
): Page {
  const joined: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (name === 'set-cookie') continue
    joined[name] = Object.hasOwn(joined, name) ? `${joined[name]}, ${value}` : value
  }
  return { statusCode, url: url.href, headers: joined, cookies, body, bandwidth, requests }
}
