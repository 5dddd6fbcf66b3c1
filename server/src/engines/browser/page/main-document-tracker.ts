import type { Protocol } from 'devtools-protocol'
import { Failure } from '../../../domain/failure.ts'
import { isRedirect, redirectsMax } from '../../request/redirects.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'
import { explainNetError } from './net-errors.ts'

/** One document of the main frame, from its request on. */
export interface MainDocument {
  readonly loaderId: string
  url: string
  response: Protocol.Network.Response | undefined
  /** Redirects that were told of and not followed, or not yet. */
  redirectsLeft: number
  isDownload: boolean
  isCommitted: boolean
  isReceived: boolean
  /** By the browser's clock. */
  receivedAtSeconds: number | undefined
  isDomLoaded: boolean
  isLoaded: boolean
}

/** Of its own accord, by scripts or `meta refresh`, a page goes on no more often than this. */
const navigationsMax = 10
/** What a browser opens as a document. */
const openable = new Set(['http:', 'https:', 'blob:'])
// A navigation that a page has asked for and that has not begun by then will not begin.
const askedForMs = 1_000
// Why it has given up a document the browser tells beside it, a moment later, or not at all.
const explainedWithinMs = 500

/** Such an answer shows nothing: what is in the page is not of it. */
export const isWithoutBody = (status: number): boolean => status === 204 || status === 205

/**
 * Follows the main frame from document to document. Only the newest document counts: a page that sends
 * its visitor on at once is not the page that was meant. One that leads to no document stays.
 */
export class MainDocumentTracker {
  readonly #frameId: string
  readonly #onChange: () => void
  readonly #onFailure: (failure: Failure) => void
  #newest: MainDocument | undefined
  /** The document that is shown, also while the newest is on its way. */
  #shown: MainDocument | undefined
  #givenUp: MainDocument | undefined
  #navigations = 0
  #moves = 0
  #ofItsOwn = { redirects: 0, navigations: 0 }
  #askedForUntilMs = 0

  constructor(
    session: CdpSession,
    options: {
      frameId: string
      onChange: () => void
      onFailure: (failure: Failure) => void
      /** Why the way out let nothing through to that URL, if it did not. */
      problemOf: (url: string) => Failure | undefined
      /** Whether a proxy stands between the way out and every target. */
      isProxied: boolean
    },
  ) {
    this.#frameId = options.frameId
    this.#onChange = options.onChange
    this.#onFailure = options.onFailure
    session.on('Network.requestWillBeSent', (event) => this.#onRequest(event))
    session.on('Network.responseReceived', ({ requestId, response }) =>
      this.#change(requestId, { response }),
    )
    session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => {
      if (requestId !== this.#newest?.loaderId || !isRedirect(statusCode)) return
      this.#newest.redirectsLeft += 1
      this.#explainGivenUp()
    })
    session.on('Page.downloadWillBegin', ({ frameId }) => {
      if (frameId !== this.#frameId || !this.#newest) return
      this.#newest.isDownload = true
      this.#explainGivenUp()
    })
    session.on('Network.loadingFinished', ({ requestId, timestamp }) =>
      this.#change(requestId, { isReceived: true, receivedAtSeconds: timestamp }),
    )
    session.on('Network.loadingFailed', ({ requestId, errorText }) => {
      if (requestId === this.#newest?.loaderId) this.#onLoadingFailed(errorText, options)
    })
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id === this.#frameId) this.#onCommitted(frame)
    })
    session.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
      if (frameId !== this.#frameId) return
      if (name === 'DOMContentLoaded') this.#change(loaderId, { isDomLoaded: true })
      else if (name === 'load') this.#change(loaderId, { isLoaded: true })
    })
    // A document that was told to stop, or wanted to go where it cannot, has no other end.
    session.on('Page.frameStoppedLoading', ({ frameId }) => {
      if (frameId !== this.#frameId || !this.#shown) return
      this.#change(this.#shown.loaderId, { isDomLoaded: true, isLoaded: true })
    })
    session.on('Page.frameRequestedNavigation', ({ frameId, disposition }) => {
      if (frameId === this.#frameId && disposition === 'currentTab') this.#expectNavigation()
    })
    session.on('Page.frameScheduledNavigation', ({ frameId, delay }) => {
      if (frameId === this.#frameId && delay * 1_000 < askedForMs) this.#expectNavigation()
    })
    session.on('Page.frameClearedScheduledNavigation', ({ frameId }) => {
      if (frameId === this.#frameId) this.#askedForUntilMs = 0
    })
    session.on('Page.navigatedWithinDocument', ({ frameId }) => {
      if (frameId !== this.#frameId) return
      this.#askedForUntilMs = 0
      this.#moves += 1
      this.#onChange()
    })
  }

  get newest(): MainDocument | undefined {
    return this.#newest
  }

  /** Documents that were begun so far. */
  get navigations(): number {
    return this.#navigations
  }

  /** How often a document has changed its own address so far. */
  get moves(): number {
    return this.#moves
  }

  /** What comes now was asked for: only what the page does after that is of its own accord. */
  countAfresh(): void {
    this.#ofItsOwn = { redirects: 0, navigations: 0 }
  }

  /** Whether the newest document is so, and none is about to take its place. */
  isSettled(isSo: (document: MainDocument) => boolean): boolean {
    const document = this.#newest
    return document !== undefined && isSo(document) && performance.now() > this.#askedForUntilMs
  }

  #onRequest(event: Protocol.Network.RequestWillBeSentEvent): void {
    const { requestId, loaderId, frameId, type, request, redirectResponse } = event
    if (type !== 'Document' || frameId !== this.#frameId || requestId !== loaderId) return
    this.#askedForUntilMs = 0
    if (redirectResponse && this.#newest?.loaderId === loaderId) {
      this.#ofItsOwn.redirects += 1
      this.#newest.url = request.url
      if (openable.has(URL.parse(request.url)?.protocol ?? '')) this.#newest.redirectsLeft -= 1
      if (this.#ofItsOwn.redirects > redirectsMax) this.#onFailure(tooManyRedirects())
      return
    }
    this.#navigations += 1
    this.#ofItsOwn.navigations += 1
    this.#newest = {
      loaderId,
      url: request.url,
      response: undefined,
      redirectsLeft: 0,
      isDownload: false,
      isCommitted: false,
      isReceived: false,
      receivedAtSeconds: undefined,
      isDomLoaded: false,
      isLoaded: false,
    }
    if (this.#ofItsOwn.navigations > navigationsMax) this.#onFailure(tooManyNavigations())
  }

  #onCommitted({ loaderId, url }: Protocol.Page.Frame): void {
    if (this.#shown && url.startsWith('about:')) {
      // Which is asked of nobody: the answer before stands.
      this.#newest = { ...this.#shown, loaderId, url, isDomLoaded: false, isLoaded: false }
    }
    if (loaderId === this.#newest?.loaderId) this.#shown = this.#newest
    this.#change(loaderId, { isCommitted: true })
  }

  #onLoadingFailed(
    errorText: string,
    {
      problemOf,
      isProxied,
    }: { problemOf: (url: string) => Failure | undefined; isProxied: boolean },
  ): void {
    const document = this.#newest
    const isGivenUp = errorText === 'net::ERR_ABORTED'
    if (!document || (document.isCommitted && isGivenUp)) return
    const status = document.response?.status
    // For another, a download, or nothing that a browser shows.
    if (this.#shown && isGivenUp) {
      this.#newest = this.#shown
      this.#onChange()
    } else if (status !== undefined && isWithoutBody(status)) {
      this.#change(document.loaderId, { isReceived: true, isDomLoaded: true, isLoaded: true })
    } else if (isGivenUp) {
      this.#givenUp = document
      this.#explainGivenUp()
      setTimeout(() => this.#onFailure(lost()), explainedWithinMs).unref()
    } else {
      const hasAnswered = status !== undefined
      this.#onFailure(
        problemOf(document.url) ?? explainNetError(errorText, { hasAnswered, isProxied }),
      )
    }
  }

  #explainGivenUp(): void {
    const { isDownload = false, redirectsLeft = 0 } = this.#givenUp ?? {}
    if (isDownload) this.#onFailure(download())
    else if (redirectsLeft > 0) this.#onFailure(notAllowed())
  }

  #expectNavigation(): void {
    this.#askedForUntilMs = performance.now() + askedForMs
    setTimeout(this.#onChange, askedForMs + 1).unref()
  }

  #change(loaderId: string, change: Partial<MainDocument>): void {
    const document = [this.#newest, this.#shown].find((one) => one?.loaderId === loaderId)
    if (!document) return
    Object.assign(document, change)
    this.#onChange()
  }
}

const tooManyRedirects = (): Failure =>
  new Failure(
    'TOO_MANY_REDIRECTS',
    `The target redirected more than ${redirectsMax} times; it may want cookies or other headers.`,
  )

const tooManyNavigations = (): Failure =>
  new Failure(
    'TOO_MANY_REDIRECTS',
    `The page went on to another more than ${navigationsMax} times by itself.`,
  )

const notAllowed = (): Failure =>
  new Failure('URL_NOT_ALLOWED', 'The target redirected to what is no page.')

const download = (): Failure =>
  new Failure(
    'BAD_RESPONSE',
    'The target is a download, not a page; leave out what needs a browser to get it.',
  )

const lost = (): Failure => new Failure('BROWSER_CRASHED', 'The browser gave the page up.')
