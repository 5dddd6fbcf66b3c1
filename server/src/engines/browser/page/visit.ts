import { isIP } from 'node:net'
import type { AttemptTimings, Page, StepReport } from '../../../domain/scrape/page.ts'
import { bareUrl } from '../../request/redirects.ts'
import type { UrlUser } from '../../request/url-user.ts'
import type { BrowserContext } from '../launch/running-browser.ts'
import { runScenario } from '../scenario/run-scenario.ts'
import { type LivePage, startPage } from './live-page.ts'
import { isWithoutBody } from './main-document-tracker.ts'
import type { PageEgress } from './page-egress.ts'
import { readConsole } from './read-console.ts'
import { headersOf, readDom, readReceived, toPageCookie } from './read-page.ts'
import { screenFor } from './screens.ts'
import { takeScreenshot } from './take-screenshot.ts'
import type { VisitDeadline } from './visit-deadline.ts'
import type { BrowserOrder, Visited } from './visit-order.ts'
import { isThere, waitForQuiet, waitForReadyState, waitForSelector } from './wait-for-page.ts'

export interface VisitParts {
  context: BrowserContext
  wayOut: PageEgress
  end: VisitDeadline
  /** Who the caller is to the target, if it asks. */
  user: UrlUser | undefined
}

/** Shows the page in a context of its own and reads what the caller asked for. */
export async function visit(parts: VisitParts, order: BrowserOrder): Promise<Visited> {
  const { context, end, wayOut } = parts
  const { options } = order
  const startedAtMs = performance.now()
  if (options.cookies.length > 0) {
    await end.during(context.setCookies(cookiesOf(order)))
  }
  const screen = screenFor(options.device_type, options.viewport)
  const newPage = await end.during(context.openPage(order.url, screen))
  const live = startPage(newPage, order, { ...parts, screen })
  // On the parsed page, where something is to be done there first.
  const { actions } = options.js_scenario
  const isUsed =
    options.waitForSelector !== undefined || options.screenshot.use || actions.length > 0
  const mode = options.mode === 'documentLoaded' && isUsed ? 'domLoaded' : options.mode
  let scenario: StepReport[] | undefined
  for (;;) {
    let isAtRest = await waitForReadyState(live, mode)
    const thereAtMs = performance.now()
    isAtRest &&= await waitForQuiet(live, mode)
    // What was done has brought the page to where it is: nothing of it is done or waited for again.
    if (!scenario) {
      if (options.waitForSelector !== undefined)
        await waitForSelector(live, options.waitForSelector)
      if (actions.length > 0) {
        scenario = await runScenario(live, actions)
        isAtRest = (await waitForReadyState(live, mode)) && (await waitForQuiet(live, mode))
      }
    }
    const readyAtMs = performance.now()
    const { newest } = live.watch
    // A page that was about to send its visitor on has done so by now, or said so.
    const reached = isAtRest ? mode : 'domLoaded'
    const isGone = () => live.watch.newest !== newest || !isThere(live, reached)
    const page = await end.during(unless(isGone, readPage(live, order, parts)))
    if (!page || isGone()) continue
    return {
      page: { ...page, ...(scenario && { scenario }), isWaitCutShort: !isAtRest },
      timings: timingsOf(live, wayOut, { startedAtMs, thereAtMs, readyAtMs }),
    }
  }
}

/** Undefined in place of a failure that is due to the document having gone away meanwhile. */
const unless = (isGone: () => boolean, reading: Promise<Page>): Promise<Page | undefined> =>
  reading.catch((error: unknown) => {
    if (!isGone()) throw error
    return undefined
  })

const cookiesOf = ({ url, options }: BrowserOrder) =>
  options.cookies.map(({ name, value, domain }) => ({
    name,
    value,
    ...(domain === undefined
      ? { url: bareUrl(new URL(url)).href }
      : { domain: coveringDomain(domain), path: '/' }),
    ...(/^__(?:Secure|Host)-/i.test(name) && { secure: true }),
  }))

/** A dot in front is what makes it a cookie of all hosts below, which an address has none of. */
const coveringDomain = (domain: string): string =>
  domain.startsWith('.') || !domain.includes('.') || isIP(domain) > 0 ? domain : `.${domain}`

async function readPage(
  live: LivePage,
  { options, askForRoom = async () => undefined }: BrowserOrder,
  { context, wayOut }: VisitParts,
): Promise<Page> {
  const { session, watch, world, log, answers } = live
  const { screenshot: wanted } = options
  const screenshot = wanted.use ? await takeScreenshot(live, wanted.options) : undefined
  const document = watch.newest
  if (!document?.response) throw new Error('The page has no document.')
  const isAsReceived =
    options.mode === 'documentLoaded' ||
    options.is_json_response ||
    isWithoutBody(document.response.status)
  const { url, body } = await (isAsReceived
    ? readReceived(session, document)
    : readDom(world, askForRoom))
  const isAll = options.response_format === 'json'
  const cookies = isAll ? await context.listCookies() : []
  return {
    statusCode: document.response.status,
    url,
    headers: headersOf(document.response),
    cookies: cookies.map(toPageCookie),
    body,
    isText: true,
    bandwidth: { ...wayOut.bytes, requests: log.count },
    requests: log.records,
    ...(screenshot && { screenshot }),
    ...(answers && { collectedData: await answers.list() }),
    ...(options.debug && { console: await readConsole(session) }),
  }
}

function timingsOf(
  { watch }: LivePage,
  wayOut: PageEgress,
  at: { startedAtMs: number; thereAtMs: number; readyAtMs: number },
): AttemptTimings {
  const { response, receivedAtSeconds } = watch.newest ?? {}
  const timing = response?.timing
  const between = (from = -1, to = -1) => (from < 0 ? 0 : to - from)
  const receivedMs = timing && receivedAtSeconds && (receivedAtSeconds - timing.requestTime) * 1_000
  // The browser knows the hop to the way out only; but whether that was there before, it knows.
  const isNew = between(timing?.connectStart, timing?.connectEnd) > 0
  const reached = isNew && response ? wayOut.timingsOf(response.url) : undefined
  const { dnsMs, connectMs } = reached ?? { dnsMs: 0, connectMs: 0 }
  // A target over TLS is reached before the request is sent, another after it.
  const isReachedLater = response?.url.startsWith('http:')
  const headMs = between(timing?.sendEnd, timing?.receiveHeadersEnd)
  return {
    dnsMs,
    connectMs,
    tlsMs: between(timing?.sslStart, timing?.sslEnd),
    firstByteMs: isReachedLater ? Math.max(0, headMs - dnsMs - connectMs) : headMs,
    downloadMs: Math.max(0, between(timing?.receiveHeadersEnd, receivedMs)),
    renderMs: at.thereAtMs - at.startedAtMs,
    waitMs: at.readyAtMs - at.thereAtMs,
    extractMs: performance.now() - at.readyAtMs,
  }
}
