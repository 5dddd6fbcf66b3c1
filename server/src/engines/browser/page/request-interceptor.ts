import type { Protocol } from 'devtools-protocol'
import { parseUrl } from '../../../domain/parse-url.ts'
import type { ProxyUser } from '../../../domain/proxy/proxy.ts'
import { egressProxyRealm } from '../../../outbound/egress-proxy/proxy-auth.ts'
import { acceptJson, mergeHeaders } from '../../request/request-headers.ts'
import type { UrlCredentials } from '../../request/url-credentials.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'
import {
  hasHostRules,
  hostFilter,
  type LoadingRules,
  mayLoad,
  skippedUrls,
} from './loading-rules.ts'
import { PageOrigins } from './page-origins.ts'

export interface RequestInterceptorOptions {
  rules: LoadingRules
  mainFrameId: string
  /** Whether the main frame asks for JSON instead of a page. */
  isJson: boolean
  /** The origin of the first document, and the caller's headers and credentials for it alone. */
  target: {
    origin: string
    headers: Readonly<Record<string, string>>
    user: UrlCredentials | undefined
  }
  proxyCredentials: ProxyUser
  /** Whether the browser asks a person for credentials that we do not give; the request would wait for ever. */
  hasLoginDialogs: boolean
  /** Sets the host filter of the egress proxy, also for connections that are already open. */
  restrictTo(isReachable: (host: string, port: number) => boolean): void
}

export interface InterceptedRequest {
  url: string
  type: Protocol.Network.ResourceType
  frameId?: string | undefined
}

/**
 * Blocks requests by the loading rules and answers authentication challenges (CDP domain `Fetch`).
 * Resource types, which only the browser knows, are blocked here; hosts by the egress proxy, which
 * slows no request down. The proxy has to let the document's own host through, so skipped domains
 * are checked here too. Documents are intercepted to learn which origin is the page's own.
 */
export class RequestInterceptor {
  readonly #session: CdpSession
  readonly #options: RequestInterceptorOptions
  readonly #authenticated = new Set<string>()
  readonly #origins: PageOrigins
  /** From then on the caller's headers and credentials are sent nowhere. */
  #hasLeftTarget = false
  /** Requests that got a proxy challenge; each gets the credentials only once. */
  readonly #challenged = new Set<string>()
  #isInterceptionReduced = false

  constructor(session: CdpSession, options: RequestInterceptorOptions) {
    this.#session = session
    this.#options = options
    this.#origins = new PageOrigins(options.target.origin)
    this.#restrictHosts()
    session.on('Fetch.requestPaused', (event) => this.#onPaused(event))
    session.on('Fetch.authRequired', (event) => this.#authenticate(event))
    session.on('Page.frameNavigated', ({ frame }) => this.#onNavigated(frame))
    session.on('Network.loadingFailed', ({ requestId }) =>
      this.#updateOrigins((origins) => origins.cancel(requestId)),
    )
    session.on('Network.responseReceived', ({ type, frameId }) => {
      if (type === 'Document' && frameId === options.mainFrameId) this.#reduceInterception()
    })
    if (options.hasLoginDialogs) this.#interceptEverything()
    else this.#interceptFirstDocument()
  }

  /** Documents of the main frame may come from anywhere. */
  mayLoad(request: InterceptedRequest): boolean {
    return this.#isMainDocument(request) || mayLoad(this.#options.rules, request, this.#origins.all)
  }

  #isMainDocument({ type, frameId }: InterceptedRequest): boolean {
    return type === 'Document' && frameId === this.#options.mainFrameId
  }

  /** Chromium reports the challenge to a request only if it has paused that request before. */
  #interceptFirstDocument(): void {
    const patterns = this.#patterns()
    this.#session.post('Fetch.enable', {
      patterns: areDocumentsPaused(patterns) ? patterns : [...patterns, documentPattern],
      handleAuthRequests: true,
    })
  }

  #patterns(): Protocol.Fetch.RequestPattern[] {
    const { rules, target, isJson } = this.#options
    const hasCallerData = Object.keys(target.headers).length > 0 || target.user !== undefined
    const areDocumentsIntercepted = hasHostRules(rules) || hasCallerData || isJson
    const types = [...rules.blockedTypes, ...(areDocumentsIntercepted ? ['Document' as const] : [])]
    return [
      ...types.map((resourceType) => ({ resourceType })),
      ...skippedUrls(rules).map((urlPattern) => ({ urlPattern })),
    ]
  }

  #onPaused(event: Protocol.Fetch.RequestPausedEvent): void {
    const { requestId, request, resourceType: type, frameId, responseStatusCode } = event
    const intercepted = { url: request.url, type, frameId }
    if (this.#isMainDocument(intercepted)) {
      if (responseStatusCode === undefined) this.#onDocument(event)
      else this.#onResponse(event)
    } else if (this.mayLoad(intercepted) && !isTabIcon(event)) {
      this.#session.post('Fetch.continueRequest', { requestId })
    } else {
      this.#session.post('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
    }
  }

  #authenticate(event: Protocol.Fetch.AuthRequiredEvent): void {
    if (event.authChallenge.source === 'Proxy') this.#answerProxy(event)
    else this.#answerTarget(event)
  }

  /**
   * The browser context caches the credentials from its first document on, for workers and
   * WebSockets too, and sends them to the proxy alone. A challenge from a target gets none.
   */
  #answerProxy({ requestId, authChallenge }: Protocol.Fetch.AuthRequiredEvent): void {
    const isFromProxy = authChallenge.realm === egressProxyRealm && !this.#challenged.has(requestId)
    this.#challenged.add(requestId)
    // The context forgets the credentials when the target itself answers 407 to a request with them.
    if (!isFromProxy) this.#interceptEverything()
    const { name: username, password } = this.#options.proxyCredentials
    this.#session.post('Fetch.continueWithAuth', {
      requestId,
      authChallengeResponse: isFromProxy
        ? { response: 'ProvideCredentials', username, password }
        : { response: 'CancelAuth' },
    })
  }

  /** From now on any request may be challenged, and each challenge is to be answered here. */
  #interceptEverything(): void {
    this.#isInterceptionReduced = true
    this.#session.post('Fetch.enable', { patterns: [{}], handleAuthRequests: true })
  }

  /** Interception slows requests down, so it ends when only the first document needed it. */
  #reduceInterception(): void {
    if (this.#isInterceptionReduced) return
    this.#isInterceptionReduced = true
    const patterns = this.#patterns()
    if (patterns.length === 0) this.#session.post('Fetch.disable')
    else if (!areDocumentsPaused(patterns)) this.#session.post('Fetch.enable', { patterns })
  }

  /** Sends the caller's credentials once for each document; the browser then caches them. */
  #answerTarget({ requestId, request }: Protocol.Fetch.AuthRequiredEvent): void {
    const { origin, user } = this.#options.target
    const isTarget = !this.#hasLeftTarget && new URL(request.url).origin === origin
    const isAllowed = user && isTarget && !this.#authenticated.has(requestId)
    this.#authenticated.add(requestId)
    this.#session.post('Fetch.continueWithAuth', {
      requestId,
      authChallengeResponse: isAllowed
        ? { response: 'ProvideCredentials', ...user }
        : { response: 'CancelAuth' },
    })
  }

  #onDocument({ requestId, request, networkId = '' }: Protocol.Fetch.RequestPausedEvent): void {
    const { origin } = new URL(request.url)
    this.#hasLeftTarget ||= origin !== this.#options.target.origin
    this.#updateOrigins((origins) => origins.startNavigation(networkId, origin))
    const headers = this.#headersFor(request)
    this.#session.post('Fetch.continueRequest', {
      requestId,
      // The response is paused too: it says in which origin the navigation ends.
      ...(this.#origins.all.size > 1 && { interceptResponse: true }),
      ...(headers && { headers }),
    })
  }

  #onResponse(event: Protocol.Fetch.RequestPausedEvent): void {
    const { requestId, request, responseStatusCode = 0, networkId = '' } = event
    const isRedirect = responseStatusCode >= 300 && responseStatusCode < 400
    const { origin } = new URL(request.url)
    if (!isRedirect) this.#updateOrigins((origins) => origins.receiveResponse(networkId, origin))
    this.#session.post('Fetch.continueRequest', { requestId })
  }

  #onNavigated({ id, loaderId, url }: Protocol.Page.Frame): void {
    const origin = parseUrl(url)?.origin ?? 'null'
    // `about:blank` has no origin of its own; it belongs to the page that opened it.
    if (id !== this.#options.mainFrameId || origin === 'null') return
    this.#updateOrigins((origins) => origins.commit(loaderId, origin))
  }

  #updateOrigins(change: (origins: PageOrigins) => void): void {
    const before = this.#origins.all
    change(this.#origins)
    const { all } = this.#origins
    const hasChanged = all.size !== before.size || [...all].some((origin) => !before.has(origin))
    if (hasChanged) this.#restrictHosts()
  }

  /** Returns undefined when the browser's own headers need no change. */
  #headersFor({ headers }: Protocol.Network.Request): Protocol.Fetch.HeaderEntry[] | undefined {
    const { target, isJson } = this.#options
    const forwarded = this.#hasLeftTarget ? {} : target.headers
    const added = { ...(isJson && { accept: acceptJson }), ...forwarded }
    if (Object.keys(added).length === 0) return undefined
    const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    const merged = mergeHeaders(Object.fromEntries(lowered), added)
    return Object.entries(merged).map(([name, value]) => ({ name, value }))
  }

  #restrictHosts(): void {
    const { rules, restrictTo } = this.#options
    if (hasHostRules(rules)) restrictTo(hostFilter(rules, this.#origins.all))
  }
}

/** A full browser loads the icon of its tab, which nobody sees and the page has not asked for. */
const isTabIcon = ({ resourceType, request }: Protocol.Fetch.RequestPausedEvent): boolean =>
  resourceType === 'Other' && request.headers['Accept']?.startsWith('image/') === true

const documentPattern = { resourceType: 'Document' as const }

const areDocumentsPaused = (patterns: readonly Protocol.Fetch.RequestPattern[]): boolean =>
  patterns.some(({ resourceType }) => resourceType === 'Document')
