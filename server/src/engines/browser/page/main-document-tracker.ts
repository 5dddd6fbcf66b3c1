import type { Protocol } from 'devtools-protocol'
import { Failure } from '../../../domain/failure.ts'
import { parseUrl } from '../../../domain/parse-url.ts'
import { isRetriedStatus } from '../../../domain/task/attempt.ts'
import { isRedirect, redirectsMax, tooManyRedirects } from '../../request/redirects.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'
import { explainNetError } from './net-errors.ts'

/** One document of the main frame, tracked from its request on. */
export type MainDocument = ReturnType<typeof newDocument>

const newDocument = (loaderId: string, url: string) => ({
  loaderId,
  url,
  response: undefined as Protocol.Network.Response | undefined,
  /** Redirect responses that the browser has not followed, or not yet. */
  pendingRedirects: 0,
  isDownload: false,
  isCommitted: false,
  isReceived: false,
  /** Monotonic time of the browser. */
  receivedAtSeconds: undefined as number | undefined,
  isDomLoaded: false,
  isLoaded: false,
})

interface TrackerOptions {
  frameId: string
  onChange: () => void
  onFailure: (failure: Failure) => void
  /** Why the egress proxy let nothing through to that URL, if it did not. */
  problemOf: (url: string) => Failure | undefined
  /** Whether the egress proxy connects through an upstream proxy. */
  isProxied: boolean
  /** Whether a target that is a file instead of a page is a failure. */
  leavesFiles: boolean
}

/** How often a page may navigate by itself, by scripts or `meta refresh`. */
const navigationsMax = 10
/** Schemes that the browser opens as a document. */
const pageSchemes = new Set(['http:', 'https:', 'blob:'])
// A navigation that was requested and has not started by then will not start.
const startMsMax = 1_000
// The browser reports why it has aborted a document in another event, a little later or never.
const abortReasonMsMax = 500

/** After such a status the browser keeps showing the previous document. */
export const isWithoutBody = (status: number): boolean => status === 204 || status === 205

/**
 * Tracks the main frame across navigations. Only the newest document counts: a page that navigates
 * away at once is not the page that was asked for. A download changes nothing.
 */
export class MainDocumentTracker {
  readonly #options: TrackerOptions
  #newest: MainDocument | undefined
  /** The committed document, while the newest may still be loading. */
  #shown: MainDocument | undefined
  #aborted: MainDocument | undefined
  #navigations = 0
  #sameDocumentNavigations = 0
  #counts = { redirects: 0, navigations: 0 }
  #expectsNavigationUntilMs = 0

  constructor(session: CdpSession, options: TrackerOptions) {
    this.#options = options
    const isOwn = (frameId: string) => frameId === options.frameId
    session.on('Network.requestWillBeSent', (event) => this.#onRequest(event))
    session.on('Network.responseReceived', ({ requestId, response }) => {
      this.#change(requestId, { response })
      const isTarget = requestId === this.#newest?.loaderId && !this.#shown
      if (options.leavesFiles && isTarget && isFile(response)) options.onFailure(file())
    })
    session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => {
      if (requestId !== this.#newest?.loaderId || !isRedirect(statusCode)) return
      this.#newest.pendingRedirects += 1
      this.#explainAborted()
    })
    session.on('Page.downloadWillBegin', ({ frameId }) => {
      if (!isOwn(frameId) || !this.#newest) return
      this.#newest.isDownload = true
      this.#explainAborted()
    })
    session.on('Network.loadingFinished', ({ requestId, timestamp }) =>
      this.#change(requestId, { isReceived: true, receivedAtSeconds: timestamp }),
    )
    session.on('Network.loadingFailed', ({ requestId, errorText }) => {
      if (requestId === this.#newest?.loaderId) this.#onLoadingFailed(errorText)
    })
    session.on('Page.frameNavigated', ({ frame }) => {
      if (isOwn(frame.id)) this.#onCommitted(frame)
    })
    session.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
      if (!isOwn(frameId)) return
      if (name === 'DOMContentLoaded') this.#change(loaderId, { isDomLoaded: true })
      else if (name === 'load') this.#change(loaderId, { isLoaded: true })
    })
    // After `window.stop()` or a failed navigation a document gets only this event.
    session.on('Page.frameStoppedLoading', ({ frameId }) => {
      if (!isOwn(frameId) || !this.#shown) return
      this.#change(this.#shown.loaderId, { isDomLoaded: true, isLoaded: true })
    })
    session.on('Page.frameRequestedNavigation', ({ frameId, disposition }) => {
      if (isOwn(frameId) && disposition === 'currentTab') this.#expectNavigation()
    })
    session.on('Page.frameScheduledNavigation', ({ frameId, delay }) => {
      if (isOwn(frameId) && delay * 1_000 < startMsMax) this.#expectNavigation()
    })
    session.on('Page.frameClearedScheduledNavigation', ({ frameId }) => {
      if (isOwn(frameId)) this.#expectsNavigationUntilMs = 0
    })
    session.on('Page.navigatedWithinDocument', ({ frameId }) => {
      if (!isOwn(frameId)) return
      this.#expectsNavigationUntilMs = 0
      this.#sameDocumentNavigations += 1
      options.onChange()
    })
  }

  get newest(): MainDocument | undefined {
    return this.#newest
  }

  /** How many documents have been requested so far. */
  get navigations(): number {
    return this.#navigations
  }

  /** How often a document has changed its own URL so far (`pushState`, fragments). */
  get sameDocumentNavigations(): number {
    return this.#sameDocumentNavigations
  }

  /** Restarts the limits on redirects and navigations, as the caller's next action may navigate. */
  resetLimits(): void {
    this.#counts = { redirects: 0, navigations: 0 }
  }

  /** Whether the newest document meets the condition and no navigation is about to replace it. */
  isSettled(condition: (document: MainDocument) => boolean): boolean {
    const document = this.#newest
    if (!document || !condition(document)) return false
    return performance.now() > this.#expectsNavigationUntilMs
  }

  #onRequest(event: Protocol.Network.RequestWillBeSentEvent): void {
    const { requestId, loaderId, type, request, redirectResponse } = event
    const { frameId, onFailure } = this.#options
    if (type !== 'Document' || event.frameId !== frameId || requestId !== loaderId) return
    this.#expectsNavigationUntilMs = 0
    if (redirectResponse && this.#newest?.loaderId === loaderId) {
      this.#counts.redirects += 1
      this.#newest.url = request.url
      if (pageSchemes.has(parseUrl(request.url)?.protocol ?? '')) this.#newest.pendingRedirects -= 1
      if (this.#counts.redirects > redirectsMax) onFailure(tooManyRedirects())
      return
    }
    this.#navigations += 1
    this.#counts.navigations += 1
    this.#newest = newDocument(loaderId, request.url)
    if (this.#counts.navigations > navigationsMax) onFailure(tooManyNavigations())
  }

  #onCommitted({ loaderId, url }: Protocol.Page.Frame): void {
    if (this.#shown && url.startsWith('about:')) {
      // `about:` documents have no request, so the last response is kept.
      this.#newest = { ...this.#shown, loaderId, url, isDomLoaded: false, isLoaded: false }
    }
    if (loaderId === this.#newest?.loaderId) this.#shown = this.#newest
    this.#change(loaderId, { isCommitted: true })
  }

  #onLoadingFailed(errorText: string): void {
    const { onChange, onFailure, problemOf, isProxied } = this.#options
    const document = this.#newest
    const isAborted = errorText === 'net::ERR_ABORTED'
    if (!document || (document.isCommitted && isAborted)) return
    const status = document.response?.status
    // Aborted by another navigation, a download, or a response that shows nothing.
    if (this.#shown && isAborted) {
      this.#newest = this.#shown
      onChange()
    } else if (status !== undefined && isWithoutBody(status)) {
      this.#change(document.loaderId, { isReceived: true, isDomLoaded: true, isLoaded: true })
    } else if (isAborted) {
      this.#aborted = document
      this.#explainAborted()
      setTimeout(() => onFailure(abortedByBrowser()), abortReasonMsMax).unref()
    } else {
      const hasResponse = status !== undefined
      onFailure(problemOf(document.url) ?? explainNetError(errorText, { hasResponse, isProxied }))
    }
  }

  #explainAborted(): void {
    const { isDownload = false, pendingRedirects = 0 } = this.#aborted ?? {}
    if (isDownload) this.#options.onFailure(download())
    else if (pendingRedirects > 0) this.#options.onFailure(redirectNotAllowed())
  }

  #expectNavigation(): void {
    this.#expectsNavigationUntilMs = performance.now() + startMsMax
    setTimeout(this.#options.onChange, startMsMax + 1).unref()
  }

  #change(loaderId: string, change: Partial<MainDocument>): void {
    const document = [this.#newest, this.#shown].find((one) => one?.loaderId === loaderId)
    if (!document) return
    Object.assign(document, change)
    this.#options.onChange()
  }
}

const tooManyNavigations = (): Failure =>
  new Failure(
    'TOO_MANY_REDIRECTS',
    `The page navigated by itself more than ${navigationsMax} times.`,
  )

const redirectNotAllowed = (): Failure =>
  new Failure('URL_NOT_ALLOWED', 'The target redirected to a URL that is not a page.')

const download = (): Failure =>
  new Failure(
    'BAD_RESPONSE',
    'The target is a download, not a page; to get it, leave out the options that need a browser.',
    { isFile: true },
  )

const file = (): Failure =>
  new Failure('BAD_RESPONSE', 'The target is a file, not a page.', { isFile: true })

const pageTypes = new Set(['text/html', 'application/xhtml+xml', 'multipart/x-mixed-replace', ''])

/**
 * Of a file the browser shows a page of its own making: an image element, a viewer, `pre`. What says
 * that the target did not answer as usual is no file, as the next response may be the page.
 */
const isFile = ({ mimeType, status }: Protocol.Network.Response): boolean =>
  !pageTypes.has(mimeType) && !isWithoutBody(status) && !isRetriedStatus(status)

const abortedByBrowser = (): Failure =>
  new Failure('BROWSER_CRASHED', 'The browser aborted the page without a reason.')
