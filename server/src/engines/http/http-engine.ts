import { Failure } from '../../domain/failure.ts'
import { forwardable } from '../../domain/forwarded-headers.ts'
import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import type { AttemptTimings, Page, PageCookie } from '../../domain/scrape/page.ts'
import type {
  ExchangeLimits,
  HttpClient,
  OutboundResponse,
} from '../../outbound/client/http-client.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import type { DeviceType } from '../request/devices.ts'
import { toFailure } from '../request/outbound-failures.ts'
import { bareUrl, findRedirect, redirectsMax } from '../request/redirects.ts'
import { type Headers, mergeHeaders, ownHeaders } from '../request/request-headers.ts'
import { userOf } from '../request/url-user.ts'
import { type CookieJar, type GivenCookie, openCookieJar } from './cookie-jar.ts'
import { addExchange, createExchangeTotals, type ExchangeTotals } from './exchange-totals.ts'

/** Fetches pages without a browser. */
export interface HttpEngine {
  fetch(order: HttpFetchOrder): Promise<HttpFetchResult>
}

export interface HttpFetchOrder {
  url: string
  options: HttpOptions
  /** The caller's own headers; they are sent only where the options say so. */
  forwardedHeaders: Readonly<Record<string, string>>
  timeoutMs: number
  signal: AbortSignal
  /** Resolves when there is memory for an answer of so many bytes; small ones do not ask. */
  reserveMemory?: ((bytes: number) => Promise<void>) | undefined
  /** Uses connections of its own, so that every timing is this task's. */
  isMeasured?: boolean | undefined
  /** The only way to the target and to whomever it redirects to. */
  proxy?: ProxyRoute | undefined
}

/** Those of the scrape options that this engine knows. */
export interface HttpOptions {
  readonly keep_headers: boolean
  readonly device_type: DeviceType
  readonly is_json_response: boolean
  readonly cookies: readonly GivenCookie[]
}

export interface HttpFetchResult {
  page: Page
  timings: AttemptTimings
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

export function createHttpEngine({ client }: { client: HttpClient }): HttpEngine {
  return {
    async fetch(order) {
      const late = () =>
        new Failure(
          'TARGET_TIMEOUT',
          `The target did not answer within ${order.timeoutMs} ms; timeout_ms can give it more.`,
        )
      const limits = { ms: order.timeoutMs, signal: order.signal, late }
      try {
        return await withDeadline((signal) => follow(client, order, signal), limits)
      } catch (error) {
        throw error instanceof OutboundError ? toFailure(error) : error
      }
    },
  }
}

/** Sends until an answer is not a redirect. Every hop is judged by the guard like the first one. */
async function follow(
  client: HttpClient,
  order: HttpFetchOrder,
  signal: AbortSignal,
): Promise<HttpFetchResult> {
  const { options, isMeasured } = order
  const target = URL.parse(order.url)
  if (!target) throw new Failure('URL_NOT_ALLOWED', 'This is not a URL.')
  let url = bareUrl(target)
  let personal = personalHeaders(order, target)
  let cookies: CookieJar | undefined
  if (options.cookies.length > 0) cookies = await openCookieJar(options.cookies, url)
  const trail = createExchangeTotals()

  for (let redirects = 0; ; redirects += 1) {
    const own = ownHeaders({
      deviceType: options.device_type,
      isJson: options.is_json_response,
      url,
    })
    const headers = withCookies(personal ? mergeHeaders(own, personal) : own, cookies, url)
    const answer = await client.send({
      method: 'GET',
      url,
      headers,
      purpose: 'target',
      limits,
      signal,
      isMeasured,
      reserveMemory: order.reserveMemory,
      proxy: order.proxy,
    })
    addExchange(trail, url, answer)
    const setCookies = listSetCookies(answer)
    if (setCookies.length > 0) {
      cookies ??= await openCookieJar([], url)
      cookies.take(setCookies, url)
    }
    const next = findRedirect(answer, url)
    if (!next) {
      const page = toPage(answer, url, (await cookies?.list()) ?? [], trail)
      return { page, timings: trail.timings }
    }
    if (redirects === redirectsMax) throw tooManyRedirects()
    // What the caller said to one origin is not another's to hear, nor is it said again on the way back.
    if (next.origin !== url.origin) personal = undefined
    url = next
  }
}

const tooManyRedirects = (): Failure =>
  new Failure(
    'TOO_MANY_REDIRECTS',
    `The target redirected more than ${redirectsMax} times; it may want cookies or other headers.`,
  )

/** What is the caller's: headers to be kept, and the user and password that stand in the URL. */
function personalHeaders(order: HttpFetchOrder, target: URL): Headers | undefined {
  const kept = order.options.keep_headers ? forwardable(order.forwardedHeaders) : undefined
  const user = userOf(target)
  if (!user) return kept
  const pair = `${user.username}:${user.password}`
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
