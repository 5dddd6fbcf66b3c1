import { Failure, type FailureCode } from '../../domain/failure.ts'
import { parseUrl } from '../../domain/parse-url.ts'
import { notAllowedMessage } from '../../outbound/guard/egress-guard.ts'
import type { GuardedConnect } from '../../outbound/guarded-connect.ts'
import { type UrlCredentials, urlCredentials } from '../request/url-credentials.ts'
import { CdpClosed, CdpError, CdpTooLarge } from './cdp/cdp-connection.ts'
import { BrowserNotStarted } from './launch/browser-process.ts'
import type { BrowserContext, RunningBrowser } from './launch/running-browser.ts'
import { WarmBrowser, type WarmBrowserParts } from './launch/warm-browser.ts'
import type { VisitParts } from './page/live-page.ts'
import { openPageEgress, type PageEgress } from './page/page-egress.ts'
import { visit } from './page/visit.ts'
import { VisitDeadline } from './page/visit-deadline.ts'
import type { BrowserOrder, Visited } from './page/visit-order.ts'
import { probeBrowser } from './probe-browser.ts'

export interface BrowserEngineParts extends WarmBrowserParts {
  connect: GuardedConnect
  /** Called with each port that is opened, as for a page's egress proxy; disposed when it is closed. */
  onListening?: ((port: number) => Disposable) | undefined
}

// A browser that was asked for something and then sends nothing at all for 5 s is stuck.
const silenceCheckIntervalMs = 500
const silentChecksMax = 10

/**
 * Fetches pages with headless Chromium, driven over the DevTools protocol (CDP). Each visit has a
 * browser context and an egress proxy of its own, which is the page's only way to the network.
 */
export type BrowserEngine = ReturnType<typeof createBrowserEngine>

export function createBrowserEngine(parts: BrowserEngineParts) {
  const warm = new WarmBrowser(parts)

  return {
    /** Throws a `Failure`, or the signal's reason once the signal is aborted. */
    visit: async (given: BrowserOrder) => {
      const { url, user } = webTarget(given.url)
      const order = { ...given, url }
      using deadline = new VisitDeadline(order)
      try {
        const visiting = warm.use((browser) => visitIn(browser, order, { deadline, user }))
        return await deadline.during(visiting)
      } catch (error) {
        throw toFailure(error)
      }
    },
    /** Health check: visits a page of our own; throws when that does not work. */
    probe: (signal: AbortSignal) => warm.use((browser) => probeIn(browser, signal)),
    /** Whether the current or the last browser has its sandbox; null before the first start. */
    sandbox: () => warm.sandbox,
    failedStarts: () => warm.failedStarts,
    [Symbol.asyncDispose]: () => warm[Symbol.asyncDispose](),
  }

  async function probeIn(browser: RunningBrowser, signal: AbortSignal): Promise<void> {
    using _ = onSilence(browser, () => warm.kill(browser, 'stuck'))
    await probeBrowser(browser, { signal, onListening: parts.onListening })
  }

  async function visitIn(
    browser: RunningBrowser,
    order: BrowserOrder,
    { deadline, user }: Pick<VisitParts, 'deadline' | 'user'>,
  ): Promise<Visited> {
    if (deadline.isOver) throw new Failure('TARGET_TIMEOUT', 'The browser did not start in time.')
    const onExit = () => deadline.abort(new Failure('BROWSER_CRASHED', 'The browser crashed.'))
    void browser.process.whenExited.then(onExit)
    const egress = await openPageEgress(parts, order.proxy)
    const opening = browser.openContext({ proxyPort: egress.port })
    deadline.mapReasons((reason) => blameLostProxy(egress, reason))
    try {
      const context = await deadline.during(opening)
      const visited = await visit({ context, egress, deadline, user }, order)
      // A page that lost its proxy half-way may be incomplete, so it is not returned.
      if (await deadline.during(egress.checkProxyGone(deadline.signal))) throw proxyLost()
      return visited
    } catch (error) {
      throw blameLostProxy(egress, error)
    } finally {
      void close(browser, opening, egress)
    }
  }

  /** Runs in the background: the caller gets the result without waiting for the page to close. */
  async function close(
    browser: RunningBrowser,
    opening: Promise<BrowserContext>,
    egress: PageEgress,
  ): Promise<void> {
    using _ = onSilence(browser, () => warm.kill(browser, 'stuck'))
    try {
      const context = await opening
      await context.dispose()
    } catch (error) {
      // A closed connection means the browser has exited; any other error, that it did not obey.
      if (!(error instanceof CdpClosed)) warm.kill(browser, 'stuck')
    } finally {
      await egress[Symbol.asyncDispose]()
    }
  }
}

/** Counted, not timed: what our own event loop was too busy to read is not silence. */
function onSilence({ process: { connection } }: RunningBrowser, act: () => void): Disposable {
  let heardCount = connection.messageCount
  let silentChecks = 0
  const timer = setInterval(() => {
    silentChecks = connection.messageCount === heardCount ? silentChecks + 1 : 0
    heardCount = connection.messageCount
    if (silentChecks === silentChecksMax) act()
  }, silenceCheckIntervalMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Failures that a lost proxy can cause become PROXY_FAILED instead of blaming the page. */
const blameLostProxy = (egress: PageEgress, error: unknown): unknown =>
  egress.isProxyLost && error instanceof Failure && causedByLostProxy.has(error.code)
    ? proxyLost(error)
    : error

const causedByLostProxy = new Set<FailureCode>([
  'TARGET_UNREACHABLE',
  'TARGET_TIMEOUT',
  'BAD_RESPONSE',
  'SELECTOR_NOT_FOUND',
  'ACTION_FAILED',
])

const proxyLost = (cause?: Failure): Failure =>
  new Failure('PROXY_FAILED', 'The proxy was lost before the page had loaded.', {
    cause,
    isProxyUnusable: true,
  })

/**
 * Allows HTTP and HTTPS only: Chromium would also open local files and its own pages. Credentials
 * are cut from the URL: they break the page's `fetch`, and the result would disclose them.
 */
function webTarget(text: string): { url: string; user: UrlCredentials | undefined } {
  const url = parseUrl(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new Failure('URL_NOT_ALLOWED', notAllowedMessage)
  }
  const user = urlCredentials(url)
  url.username = ''
  url.password = ''
  return { url: url.href, user }
}

function toFailure(error: unknown): unknown {
  if (error instanceof BrowserNotStarted) {
    const message = 'The browser could not be started; "npx trawl doctor" says why.'
    return new Failure('BROWSER_CRASHED', message, { cause: error })
  }
  if (error instanceof CdpTooLarge) {
    return new Failure('RESPONSE_TOO_LARGE', 'The page is larger than the limit.', {
      cause: error,
    })
  }
  if (error instanceof CdpError) {
    return new Failure('BROWSER_CRASHED', 'The browser did not carry out a command.', {
      cause: error,
    })
  }
  return error
}
