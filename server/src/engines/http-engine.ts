import { Failure } from '../domain/failure.ts'
import { forwardable } from '../domain/forwarded-headers.ts'
import type { AttemptTimings, Page, PageCookie } from '../domain/page.ts'
import type { ProxyRoute } from '../domain/proxy.ts'
import type { ExchangeLimits, HttpClient, OutboundAnswer } from '../outbound/http-client.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { type GivenCookie, openTaskCookies, type TaskCookies } from './http-cookies.ts'
import type { DeviceType } from './http-devices.ts'
import { toFailure } from './http-failures.ts'
import { bareUrl, findRedirect, redirectsMax } from './http-redirects.ts'
import { type Headers, mergeHeaders, ownHeaders } from './http-request-headers.ts'
import { addToTrail, createTrail, type Trail } from './http-trail.ts'
import { userOf } from './url-user.ts'

/** Fetches pages without a browser. */
export interface HttpEngine {
  fetch(order: HttpOrder): Promise<Fetched>
}

export interface HttpOrder {
  url: string
  options: HttpOptions
  /** The caller's own headers; they are sent only where the options say so. */
  forwardedHeaders: Readonly<Record<string, string>>
  timeoutMs: number
  signal: AbortSignal
  /** Resolves when there is memory for an answer of so many bytes; small ones do not ask. */
  askForRoom?: ((bytes: number) => Promise<void>) | undefined
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

export interface Fetched {
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
async function follow(client: HttpClient, order: HttpOrder, signal: AbortSignal): Promise<Fetched> {
  const { options, isMeasured } = order
  const target = URL.parse(order.url)
  if (!target) throw new Failure('URL_NOT_ALLOWED', 'This is not a URL.')
  let url = bareUrl(target)
  let personal = personalHeaders(order, target)
  let cookies: TaskCookies | undefined
  if (options.cookies.length > 0) cookies = await openTaskCookies(options.cookies, url)
  const trail = createTrail()

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
      askForRoom: order.askForRoom,
      proxy: order.proxy,
    })
    addToTrail(trail, url, answer)
    const setCookies = listSetCookies(answer)
    if (setCookies.length > 0) {
      cookies ??= await openTaskCookies([], url)
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
function personalHeaders(order: HttpOrder, target: URL): Headers | undefined {
  const kept = order.options.keep_headers ? forwardable(order.forwardedHeaders) : undefined
  const user = userOf(target)
  if (!user) return kept
  const pair = `${user.username}:${user.password}`
  return { ...kept, authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

function withCookies(headers: Headers, cookies: TaskCookies | undefined, url: URL): Headers {
  const cookie = cookies?.headerFor(url)
  return cookie === undefined ? headers : { ...headers, cookie }
}

const listSetCookies = ({ headers }: OutboundAnswer): string[] =>
  headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value)

function toPage(
  { statusCode, headers, body }: OutboundAnswer,
  url: URL,
  cookies: PageCookie[],
  { bandwidth, requests }: Trail,
): Page {
  const joined: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (name === 'set-cookie') continue
    joined[name] = Object.hasOwn(joined, name) ? `${joined[name]}, ${value}` : value
  }
  return { statusCode, url: url.href, headers: joined, cookies, body, bandwidth, requests }
}
