import type { IncomingMessage } from 'node:http'
import type { AuthMethods, OfferedCredentials } from '../../accounts/authenticator.ts'
import { Failure } from '../../domain/failure.ts'
import type { OwnOrigins } from './own-origins.ts'

/**
 * Protects against CSRF and DNS rebinding. Ambient credentials go along with a request even if a foreign
 * page caused it: a browser adds the password it has stored and the session cookie, and a whitelisted
 * address needs nothing at all. API keys are never ambient, since a page cannot make a browser send a key that it does not know.
 * Returns the failure to respond with, or undefined if the request may use its credentials.
 */
export function refuseAmbientCredentials(
  request: IncomingMessage,
  { offered, methods, own }: { offered: OfferedCredentials; methods: AuthMethods; own: OwnOrigins },
): Failure | undefined {
  // A key on a route that accepts no keys counts as absent.
  if (methods.byKey && offered.apiKeys.length > 0) return undefined
  const isByAddress = offered.basic === undefined && offered.sessionToken === undefined
  if (isByAddress && !own.knowsHost(request)) return unknownHost()
  return refuseForeignPage(request, own)
}

/** Refuses a request that changes something and that a page of another origin caused. */
export function refuseForeignPage(request: IncomingMessage, own: OwnOrigins): Failure | undefined {
  if (safeMethods.has(request.method)) return undefined
  const { 'sec-fetch-site': site, origin } = request.headers
  const isForeign = isForeignPage({ site, origin }, (one) => own.owns(one, request))
  return isForeign ? crossSite() : undefined
}

/**
 * Refuses pages of other origins whatever their credentials, as MCP demands against DNS rebinding: the
 * programs that speak it send no `Origin`.
 */
export function refuseForeignOrigin(
  request: IncomingMessage,
  own: OwnOrigins,
): Failure | undefined {
  const { origin } = request.headers
  return origin === undefined || own.owns(origin, request) ? undefined : foreignOrigin()
}

const safeMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether the browser reports that a foreign page caused the request. Other clients send no such headers. */
function isForeignPage(
  { site, origin }: { site: string | string[] | undefined; origin: string | undefined },
  isOwn: (origin: string) => boolean,
): boolean {
  if (site !== undefined && !ownOrSameSite.has(site)) return true
  // `same-site` may be another port or subdomain, whose pages are not ours.
  return origin === undefined ? site === 'same-site' : !isOwn(origin)
}

const ownOrSameSite: ReadonlySet<unknown> = new Set(['same-origin', 'same-site', 'none'])

const unknownHost = () =>
  new Failure(
    'FORBIDDEN',
    'Without credentials a request must name a host of this service: its address, localhost, or one in TRAWL_PUBLIC_URL or TRAWL_ALLOWED_HOSTS. Name one of these, or send credentials.',
  )

const crossSite = () =>
  new Failure(
    'FORBIDDEN',
    'A page of another origin caused this request, and the browser added the credentials. Send X-Api-Key instead, or name the origin of your pages in TRAWL_PUBLIC_URL or their host in TRAWL_ALLOWED_HOSTS.',
  )

const foreignOrigin = () =>
  new Failure(
    'FORBIDDEN',
    'This path does not serve pages of other origins. Name the origin of your pages in TRAWL_PUBLIC_URL or their host in TRAWL_ALLOWED_HOSTS.',
  )
