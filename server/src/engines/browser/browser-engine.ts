import { Failure, type FailureCode } from '../../domain/failure.ts'
import { notAllowedMessage } from '../../outbound/guard/egress-guard.ts'
import type { GuardedConnect } from '../../outbound/guarded-connect.ts'
import { type UrlUser, userOf } from '../request/url-user.ts'
import { CdpError, CdpGone, CdpTooLarge } from './cdp/cdp-connection.ts'
import { BrowserNotStarted } from './launch/browser-process.ts'
import { type BrowserContext, probe, type RunningBrowser } from './launch/running-browser.ts'
import { type FailedStarts, WarmBrowser, type WarmBrowserParts } from './launch/warm-browser.ts'
import { openPageEgress, type PageEgress } from './page/page-egress.ts'
import { type VisitParts, visit } from './page/visit.ts'
import { VisitDeadline } from './page/visit-deadline.ts'
import type { BrowserOrder, Visited } from './page/visit-order.ts'

/** Fetches pages with Chromium. */
export interface BrowserEngine extends AsyncDisposable {
  /** Throws a `Failure`, or the signal's reason once that is aborted. */
  visit(order: BrowserOrder): Promise<Visited>
  /** Opens a page of our own and has it run a script; throws when that does not work. */
  probe(signal: AbortSignal): Promise<void>
  /** Whether the browser that runs now, or ran last, has its sandbox; null before the first start. */
  sandbox(): 'on' | 'off' | null
  failedStarts(): FailedStarts
}

export interface BrowserEngineParts extends WarmBrowserParts {
  connect: GuardedConnect
  /** Told of each port of this process that a page's connections come in at, until it is closed. */
  onListening?: ((port: number) => Disposable) | undefined
}

// One that is asked to close a page and says nothing for so long, not even of other pages, never will.
const silentMsMax = 5_000
const silenceLookedForEveryMs = 500

export function createBrowserEngine(parts: BrowserEngineParts): BrowserEngine {
  const warm = new WarmBrowser(parts)

  return {
    visit: async (given) => {
      const { url, user } = webTarget(given.url)
      const order = { ...given, url }
      using end = new VisitDeadline(order)
      try {
        return await end.during(warm.use((browser) => visitIn(browser, order, { end, user })))
      } catch (error) {
        throw explain(error)
      }
    },
    probe: (signal) => warm.use((browser) => probeIn(browser, signal)),
    sandbox: () => warm.sandbox,
    failedStarts: () => warm.failedStarts,
    [Symbol.asyncDispose]: () => warm[Symbol.asyncDispose](),
  }

  async function probeIn(browser: RunningBrowser, signal: AbortSignal): Promise<void> {
    const askedAtMs = performance.now()
    try {
      await probe(browser, signal)
    } catch (error) {
      if (isSilent(browser, askedAtMs)) warm.kill(browser, 'stuck')
      throw error
    }
  }

  async function visitIn(
    browser: RunningBrowser,
    order: BrowserOrder,
    { end, user }: Pick<VisitParts, 'end' | 'user'>,
  ): Promise<Visited> {
    // The browser may have been longer in starting than there was time.
    if (end.isOver) throw new Failure('TARGET_TIMEOUT', 'The browser was not there in time.')
    const onGone = () => end.end(new Failure('BROWSER_CRASHED', 'The browser died.'))
    void browser.process.whenEnded.then(onGone)
    const wayOut = await openPageEgress(parts, order.proxy)
    const opening = browser.openContext({ proxyPort: wayOut.port })
    end.tellAs((reason) => unlessLost(wayOut, reason))
    try {
      const context = await end.during(opening)
      const visited = await visit({ context, wayOut, end, user }, order)
      // What has lost its proxy half-way is not the page.
      if (await end.during(wayOut.isGone(end.signal))) throw proxyLost()
      return visited
    } catch (error) {
      throw unlessLost(wayOut, error)
    } finally {
      void close(browser, opening, wayOut)
    }
  }

  /** Beside the answer, which need not wait for it. */
  async function close(
    browser: RunningBrowser,
    opening: Promise<BrowserContext>,
    wayOut: PageEgress,
  ): Promise<void> {
    const askedAtMs = performance.now()
    const timer = setInterval(() => {
      if (isSilent(browser, askedAtMs)) warm.kill(browser, 'stuck')
    }, silenceLookedForEveryMs)
    try {
      const context = await opening
      await context.dispose()
    } catch (error) {
      // It went with its browser; or the browser had half a minute and did not do it.
      if (!(error instanceof CdpGone)) warm.kill(browser, 'stuck')
    } finally {
      clearInterval(timer)
      await wayOut[Symbol.asyncDispose]()
    }
  }
}

const isSilent = ({ process: { connection } }: RunningBrowser, sinceMs: number): boolean =>
  performance.now() - Math.max(sinceMs, connection.lastHeardAtMs) > silentMsMax

/** For want of the rest a page comes to what is not its own fault. */
const unlessLost = (wayOut: PageEgress, error: unknown): unknown =>
  wayOut.isLost && error instanceof Failure && causedByLoss.has(error.code)
    ? proxyLost(error)
    : error

const causedByLoss = new Set<FailureCode>([
  'TARGET_UNREACHABLE',
  'TARGET_TIMEOUT',
  'BAD_RESPONSE',
  'SELECTOR_NOT_FOUND',
  'ACTION_FAILED',
])

const proxyLost = (cause?: Failure): Failure =>
  new Failure('PROXY_FAILED', 'The proxy was gone before the page was there.', {
    cause,
    isProxyUnusable: true,
  })

/**
 * What a browser may open, which else opens files and pages of its own too. A user is not left in the
 * URL: scripts of a page that has one cannot ask for anything, and its result would tell the password.
 */
function webTarget(text: string): { url: string; user: UrlUser | undefined } {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new Failure('URL_NOT_ALLOWED', notAllowedMessage)
  }
  const user = userOf(url)
  url.username = ''
  url.password = ''
  return { url: url.href, user }
}

function explain(error: unknown): unknown {
  if (error instanceof BrowserNotStarted) {
    const message = 'The browser could not be started; "npx trawl doctor" says why.'
    return new Failure('BROWSER_CRASHED', message, { cause: error })
  }
  if (error instanceof CdpTooLarge) {
    return new Failure('RESPONSE_TOO_LARGE', 'The page is larger than the limits.', {
      cause: error,
    })
  }
  if (error instanceof CdpError) {
    return new Failure('BROWSER_CRASHED', 'The browser did not do what it was told.', {
      cause: error,
    })
  }
  return error
}
