import { isIP } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { AttemptTimings, Page, StepReport } from '../../../domain/scrape/page.ts'
import { bareUrl } from '../../request/redirects.ts'
import { runScenario } from '../scenario/run-scenario.ts'
import { type LivePage, startPage, type VisitParts } from './live-page.ts'
import { isWithoutBody } from './main-document-tracker.ts'
import type { PageEgress } from './page-egress.ts'
import { headersOf, readConsole, readDom, readReceived, toPageCookie } from './read-page.ts'
import { screenFor } from './screens.ts'
import { toCookieParams, toJar } from './session-cookies.ts'
import { takeScreenshot } from './take-screenshot.ts'
import type { BrowserOrder, Visited } from './visit-order.ts'
import { isModeReached, waitForQuiet, waitForReadyState, waitForSelector } from './wait-for-page.ts'

/** Opens the page in its context, waits as the options say, and reads what the caller asked for. */
export async function visit(parts: VisitParts, order: BrowserOrder): Promise<Visited> {
  const { context, deadline, egress } = parts
  const { options } = order
  const startedAtMs = performance.now()
  // One after the other, so that a cookie of the caller replaces the same one of the session.
  for (const cookies of [toCookieParams(order.jar ?? []), cookiesOf(order)]) {
    if (cookies.length > 0) await deadline.during(context.setCookies(cookies))
  }
  const screen = screenFor(options.device_type, options.viewport)
  const newPage = await deadline.during(
    context.openPage(order.url, { ...screen, hasScripts: options.js_render }),
  )
  const live = startPage(newPage, order, { ...parts, screen })
  // Scenarios, selectors and screenshots need a parsed page.
  const { actions } = options.js_scenario
  const wait = order.wait ?? { mode: options.mode, selector: options.waitForSelector }
  const needsDom = wait.selector !== undefined || options.screenshot.use || actions.length > 0
  const mode = wait.mode === 'documentLoaded' && needsDom ? 'domLoaded' : wait.mode
  let scenario: StepReport[] | undefined
  for (;;) {
    let isQuiet = await waitForReadyState(live, mode)
    const loadedAtMs = performance.now()
    isQuiet &&= await waitForQuiet(live, mode)
    // After a navigation, neither the scenario nor the wait for a selector is repeated.
    if (!scenario) {
      if (wait.selector !== undefined) await waitForSelector(live, wait.selector)
      if (wait.pauseMs) await deadline.during(pause(wait.pauseMs))
      if (actions.length > 0) {
        scenario = await runScenario(live, actions)
        isQuiet = (await waitForReadyState(live, mode)) && (await waitForQuiet(live, mode))
      }
    }
    const readyAtMs = performance.now()
    const { newest } = live.tracker
    // A page that navigated meanwhile, or is about to, is waited for and read again.
    const reached = isQuiet ? mode : 'domLoaded'
    const isGone = () => live.tracker.newest !== newest || !isModeReached(live, reached)
    const page = await deadline.during(
      ignoreErrorsIf(isGone, readPage(live, { ...order, wait }, parts)),
    )
    if (!page || isGone()) continue
    const jar = order.jar && toJar(await deadline.during(context.listCookies()))
    return {
      page: { ...page, ...(scenario && { scenario }), isWaitCutShort: !isQuiet },
      timings: timingsOf(live, egress, { startedAtMs, loadedAtMs, readyAtMs }),
      jar,
    }
  }
}

/** Resolves to undefined when reading failed because the document was left meanwhile. */
const ignoreErrorsIf = (isGone: () => boolean, reading: Promise<Page>): Promise<Page | undefined> =>
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

/** A leading dot makes the cookie valid for subdomains, which an IP address does not have. */
const coveringDomain = (domain: string): string =>
  domain.startsWith('.') || !domain.includes('.') || isIP(domain) > 0 ? domain : `.${domain}`

async function readPage(
  live: LivePage,
  { options, wait, jar, memory }: BrowserOrder,
  { context, egress }: VisitParts,
): Promise<Page> {
  const { session, tracker, world, log, collected } = live
  const { screenshot: wanted } = options
  const screenshot = wanted.use ? await takeScreenshot(live, wanted.options) : undefined
  const document = tracker.newest
  if (!document?.response) throw new Error('The page has no document.')
  const isAsReceived =
    wait?.mode === 'documentLoaded' ||
    options.is_json_response ||
    isWithoutBody(document.response.status)
  const { url, body } = await (isAsReceived
    ? readReceived(session, document)
    : readDom(world, memory))
  // A session has cookies of other sites too, which are not a part of this page.
  const hasCookies = options.response_format === 'json' && !jar
  const cookies = hasCookies ? await context.listCookies() : []
  return {
    statusCode: document.response.status,
    url,
    headers: headersOf(document.response),
    cookies: cookies.map(toPageCookie),
    body,
    isText: true,
    bandwidth: { ...egress.bytes, requests: log.count },
    requests: log.records,
    ...(screenshot && { screenshot }),
    ...(collected && { collectedData: await collected.list() }),
    ...(options.debug && { console: await readConsole(session) }),
  }
}

function timingsOf(
  { tracker }: LivePage,
  egress: PageEgress,
  at: { startedAtMs: number; loadedAtMs: number; readyAtMs: number },
): AttemptTimings {
  const { response, receivedAtSeconds } = tracker.newest ?? {}
  const timing = response?.timing
  const between = (from = -1, to = -1) => (from < 0 ? 0 : to - from)
  const receivedMs = timing && receivedAtSeconds && (receivedAtSeconds - timing.requestTime) * 1_000
  // The browser measures the connection to the egress proxy only, but knows whether it was reused.
  const isNew = between(timing?.connectStart, timing?.connectEnd) > 0
  const connectTimings = isNew && response ? egress.connectTimingsOf(response.url) : undefined
  const { dnsMs, connectMs } = connectTimings ?? { dnsMs: 0, connectMs: 0 }
  // The proxy connects to an HTTPS target before the request (CONNECT), to an HTTP one after it.
  const isConnectedLater = response?.url.startsWith('http:')
  const headersMs = between(timing?.sendEnd, timing?.receiveHeadersEnd)
  return {
    dnsMs,
    connectMs,
    tlsMs: between(timing?.sslStart, timing?.sslEnd),
    firstByteMs: isConnectedLater ? Math.max(0, headersMs - dnsMs - connectMs) : headersMs,
    downloadMs: Math.max(0, between(timing?.receiveHeadersEnd, receivedMs)),
    renderMs: at.loadedAtMs - at.startedAtMs,
    waitMs: at.readyAtMs - at.loadedAtMs,
    extractMs: performance.now() - at.readyAtMs,
  }
}
