import type { Protocol } from 'devtools-protocol'
import { Failure } from '../../domain/failure.ts'
import type { CdpSession } from './cdp-connection.ts'
import { explainNetError } from './net-errors.ts'

/** One document of the main frame, from its request on. */
export interface MainDocument {
  readonly loaderId: string
  url: string
  response: Protocol.Network.Response | undefined
  isCommitted: boolean
  isReceived: boolean
  isDomLoaded: boolean
  isLoaded: boolean
}

const redirectsMax = 10
/** Of its own accord, by scripts or `meta refresh`, a page goes on no more often than this. */
const navigationsMax = 10
/** What a browser opens as a document. */
const openable = new Set(['http:', 'https:', 'blob:'])
// A navigation that a page has asked for and that has not begun by then will not begin.
const askedForMs = 1_000

/**
 * Follows the main frame from document to document. Only the newest document counts: a page that sends
 * its visitor on at once is not the page that was meant. One that leads to no document stays.
 */
export class DocumentWatch {
  readonly #frameId: string
  readonly #onChange: () => void
  readonly #onFailure: (failure: Failure) => void
  #newest: MainDocument | undefined
  /** The document that is shown while the newest is on its way. */
  #shown: MainDocument | undefined
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
    },
  ) {
    this.#frameId = options.frameId
    this.#onChange = options.onChange
    this.#onFailure = options.onFailure
    session.on('Network.requestWillBeSent', (event) => this.#onRequest(event))
    session.on('Network.responseReceived', ({ requestId, response }) =>
      this.#change(requestId, { response }),
    )
    session.on('Network.loadingFinished', ({ requestId }) =>
      this.#change(requestId, { isReceived: true }),
    )
    session.on('Network.loadingFailed', ({ requestId, errorText }) => {
      if (requestId === this.#newest?.loaderId) this.#onLoadingFailed(errorText, options.problemOf)
    })
    session.on('Page.frameNavigated', ({ frame }) =>
      this.#change(frame.loaderId, { isCommitted: true }),
    )
    session.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
      if (frameId !== this.#frameId) return
      if (name === 'DOMContentLoaded') this.#change(loaderId, { isDomLoaded: true })
      else if (name === 'load') this.#change(loaderId, { isLoaded: true })
    })
    // A document that was told to stop, or wanted to go where it cannot, has no other end.
    session.on('Page.frameStoppedLoading', ({ frameId }) => {
      if (frameId !== this.#frameId || !this.#newest?.isCommitted) return
      this.#change(this.#newest.loaderId, { isDomLoaded: true, isLoaded: true })
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
      if (this.#ofItsOwn.redirects > redirectsMax) this.#onFailure(tooManyRedirects())
      return
    }
    this.#navigations += 1
    this.#ofItsOwn.navigations += 1
    if (this.#newest?.isCommitted) this.#shown = this.#newest
    this.#newest = {
      loaderId,
      url: request.url,
      response: undefined,
      isCommitted: false,
      isReceived: false,
      isDomLoaded: false,
      isLoaded: false,
    }
    if (this.#ofItsOwn.navigations > navigationsMax) this.#onFailure(tooManyNavigations())
  }

  #onLoadingFailed(errorText: string, problemOf: (url: string) => Failure | undefined): void {
    const document = this.#newest
    if (!document || document.isCommitted) return
    const status = document.response?.status
    // Given up for another, a download, or nothing that a browser shows.
    if (this.#shown && errorText === 'net::ERR_ABORTED') {
      this.#newest = this.#shown
      this.#onChange()
    } else if (status === 204 || status === 205) {
      this.#change(document.loaderId, { isReceived: true, isLoaded: true })
    } else if (!openable.has(new URL(document.url).protocol)) {
      this.#onFailure(new Failure('URL_NOT_ALLOWED', 'The target redirected to what is no page.'))
    } else {
      const hasAnswered = status !== undefined
      this.#onFailure(problemOf(document.url) ?? explainNetError(errorText, { hasAnswered }))
    }
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
