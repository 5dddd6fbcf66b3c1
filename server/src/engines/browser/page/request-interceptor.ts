import type { Protocol } from 'devtools-protocol'
import type { ProxyUser } from '../../../domain/proxy/proxy.ts'
import { egressProxyRealm } from '../../../outbound/egress-proxy/proxy-auth.ts'
import { acceptJson, mergeHeaders } from '../../request/request-headers.ts'
import type { UrlUser } from '../../request/url-user.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'
import {
  hasHostRules,
  isLoaded,
  type LoadingRules,
  reachable,
  skippedUrls,
} from './loading-rules.ts'
import { PageOrigins } from './page-origins.ts'

export interface RequestInterceptorOptions {
  rules: LoadingRules
  mainFrameId: string
  /** Whether the main frame asks for JSON instead of a page. */
  isJson: boolean
  /** Where the first document is, and what of the caller's own only this origin may hear. */
  target: {
    origin: string
    headers: Readonly<Record<string, string>>
    user: UrlUser | undefined
  }
  /** What the way out wants the browser to authenticate with. */
  proxyCredentials: ProxyUser
  /** Connections that no longer pass are ended. */
  restrictTo(isReachable: (host: string, port: number) => boolean): void
}

export interface InterceptedRequest {
  url: string
  type: Protocol.Network.ResourceType
  frameId?: string | undefined
}

/**
 * Keeps from the page what it shall not load. Types are known to the browser alone, which asks before
 * each that is never loaded; hosts are judged on the way out, at no cost to the page. The way out has to
 * let through what the document's own host is asked for, so skipped domains are judged here as well.
 * Documents are asked for too: where the main frame goes decides which origin is its own.
 */
export class RequestInterceptor {
  readonly #session: CdpSession
  readonly #options: RequestInterceptorOptions
  readonly #introduced = new Set<string>()
  readonly #own: PageOrigins
  /** Whether the main frame has been elsewhere: from then on nobody hears what is the caller's own. */
  #hasLeft = false
  /** The requests that have met with a challenge of a proxy: none is given the credentials twice. */
  readonly #answered = new Set<string>()
  #isInterceptionReduced = false

  constructor(session: CdpSession, options: RequestInterceptorOptions) {
    this.#session = session
    this.#options = options
    this.#own = new PageOrigins(options.target.origin)
    this.#restrict()
    session.on('Fetch.requestPaused', (event) => this.#judge(event))
    session.on('Fetch.authRequired', (event) => this.#authenticate(event))
    session.on('Page.frameNavigated', ({ frame }) => this.#show(frame))
    session.on('Network.loadingFailed', ({ requestId }) =>
      this.#move((own) => own.giveUp(requestId)),
    )
    session.on('Network.responseReceived', ({ type, frameId }) => {
      if (type === 'Document' && frameId === options.mainFrameId) this.#reduceInterception()
    })
    // Chromium reports the challenge to a request only if it has paused that request before.
    const patterns = this.#patterns()
    session.post('Fetch.enable', {
      patterns: areDocumentsPaused(patterns) ? patterns : [...patterns, documents],
      handleAuthRequests: true,
    })
  }

  /** The main frame's documents are, wherever they come from. */
  isLoaded(request: InterceptedRequest): boolean {
    return this.#isMainDocument(request) || isLoaded(this.#options.rules, request, this.#own.all)
  }

  #isMainDocument({ type, frameId }: InterceptedRequest): boolean {
    return type === 'Document' && frameId === this.#options.mainFrameId
  }

  #patterns(): Protocol.Fetch.RequestPattern[] {
    const { rules, target, isJson } = this.#options
    const isAnythingOwn = Object.keys(target.headers).length > 0 || target.user !== undefined
    const areDocumentsJudged = hasHostRules(rules) || isAnythingOwn || isJson
    const types = [...rules.blockedTypes, ...(areDocumentsJudged ? ['Document' as const] : [])]
    return [
      ...types.map((resourceType) => ({ resourceType })),
      ...skippedUrls(rules).map((urlPattern) => ({ urlPattern })),
    ]
  }

  #judge(event: Protocol.Fetch.RequestPausedEvent): void {
    const { requestId, request, resourceType: type, frameId, responseStatusCode } = event
    const asked = { url: request.url, type, frameId }
    if (this.#isMainDocument(asked)) {
      if (responseStatusCode === undefined) this.#letGo(event)
      else this.#arrive(event)
    } else if (this.isLoaded(asked)) {
      this.#session.post('Fetch.continueRequest', { requestId })
    } else {
      this.#session.post('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
    }
  }

  #authenticate(event: Protocol.Fetch.AuthRequiredEvent): void {
    if (event.authChallenge.source === 'Proxy') this.#answerProxy(event)
    else this.#introduce(event)
  }

  /**
   * The browser context remembers the credentials from its first document on, for workers and WebSockets
   * too, and sends them to the proxy alone. A target that sends a challenge of its own gets none.
   */
  #answerProxy({ requestId, authChallenge }: Protocol.Fetch.AuthRequiredEvent): void {
    const isOfProxy = authChallenge.realm === egressProxyRealm && !this.#answered.has(requestId)
    this.#answered.add(requestId)
    if (!isOfProxy) this.#answerEveryRequest()
    const { name: username, password } = this.#options.proxyCredentials
    this.#session.post('Fetch.continueWithAuth', {
      requestId,
      authChallengeResponse: isOfProxy
        ? { response: 'ProvideCredentials', username, password }
        : { response: 'CancelAuth' },
    })
  }

  /**
   * The context forgets the credentials when the request that they were given for is answered with a
   * target's own 407. From then on any request of the page may be the one that is challenged.
   */
  #answerEveryRequest(): void {
    this.#isInterceptionReduced = true
    this.#session.post('Fetch.enable', { patterns: [{}], handleAuthRequests: true })
  }

  /** Interception costs every request of a page a detour, so it ends where only the first document needed it. */
  #reduceInterception(): void {
    if (this.#isInterceptionReduced) return
    this.#isInterceptionReduced = true
    const patterns = this.#patterns()
    if (patterns.length === 0) this.#session.post('Fetch.disable')
    else if (!areDocumentsPaused(patterns)) this.#session.post('Fetch.enable', { patterns })
  }

  /** Says once for each document who the caller is; from there on the browser itself knows it. */
  #introduce({ requestId, request }: Protocol.Fetch.AuthRequiredEvent): void {
    const { origin, user } = this.#options.target
    const isThere = !this.#hasLeft && new URL(request.url).origin === origin
    const isAsked = user && isThere && !this.#introduced.has(requestId)
    this.#introduced.add(requestId)
    this.#session.post('Fetch.continueWithAuth', {
      requestId,
      authChallengeResponse: isAsked
        ? { response: 'ProvideCredentials', ...user }
        : { response: 'CancelAuth' },
    })
  }

  #letGo({ requestId, request, networkId = '' }: Protocol.Fetch.RequestPausedEvent): void {
    const { origin } = new URL(request.url)
    this.#hasLeft ||= origin !== this.#options.target.origin
    this.#move((own) => own.goTo(networkId, origin))
    const headers = this.#headersFor(request)
    this.#session.post('Fetch.continueRequest', {
      requestId,
      // The rest of the way is judged by the origin that it ends in.
      ...(this.#own.all.size > 1 && { interceptResponse: true }),
      ...(headers && { headers }),
    })
  }

  #arrive(event: Protocol.Fetch.RequestPausedEvent): void {
    const { requestId, request, responseStatusCode = 0, networkId = '' } = event
    const isRedirect = responseStatusCode >= 300 && responseStatusCode < 400
    if (!isRedirect) this.#move((own) => own.answer(networkId, new URL(request.url).origin))
    this.#session.post('Fetch.continueRequest', { requestId })
  }

  #show({ id, loaderId, url }: Protocol.Page.Frame): void {
    const origin = URL.parse(url)?.origin ?? 'null'
    // What is of no origin, as `about:blank`, is of the page that has made it.
    if (id !== this.#options.mainFrameId || origin === 'null') return
    this.#move((own) => own.show(loaderId, origin))
  }

  #move(change: (own: PageOrigins) => void): void {
    const before = this.#own.all
    change(this.#own)
    const { all } = this.#own
    const isOther = all.size !== before.size || [...all].some((origin) => !before.has(origin))
    if (isOther) this.#restrict()
  }

  /** Undefined where the browser's own will do. */
  #headersFor({ headers }: Protocol.Network.Request): Protocol.Fetch.HeaderEntry[] | undefined {
    const { target, isJson } = this.#options
    const kept = this.#hasLeft ? {} : target.headers
    const ours = { ...(isJson && { accept: acceptJson }), ...kept }
    if (Object.keys(ours).length === 0) return undefined
    const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    const merged = mergeHeaders(Object.fromEntries(lowered), ours)
    return Object.entries(merged).map(([name, value]) => ({ name, value }))
  }

  #restrict(): void {
    const { rules, restrictTo } = this.#options
    if (hasHostRules(rules)) restrictTo(reachable(rules, this.#own.all))
  }
}

const documents = { resourceType: 'Document' as const }

const areDocumentsPaused = (patterns: readonly Protocol.Fetch.RequestPattern[]): boolean =>
  patterns.some(({ resourceType }) => resourceType === 'Document')
