import type { IncomingMessage } from 'node:http'
import type { AuthMethods, OfferedCredentials } from '../accounts/authenticator.ts'
import { Failure } from '../domain/failure.ts'
import type { OwnOrigins } from './own-origins.ts'

/**
 * Why a request may not use its ambient credentials, those that it carries whoever caused it to be sent:
 * a browser adds the password it once asked for, and an address needs nothing at all. A page cannot make a
 * browser send a key that it does not know, so keys are never ambient. Undefined where nothing speaks against it.
 */
export function refusalOfAmbient(
  request: IncomingMessage,
  {
    offered,
    admission,
    own,
  }: { offered: OfferedCredentials; admission: AuthMethods; own: OwnOrigins },
): Failure | undefined {
  // A key on a route that takes none counts as absent.
  if (admission.byKey && offered.apiKeys.length > 0) return undefined
  const isByAddress = offered.basic === undefined
  if (isByAddress && !own.knowsHost(request)) return unknownHost()
  if (safeMethods.has(request.method)) return undefined
  const { 'sec-fetch-site': site, origin } = request.headers
  const isForeign = isForeignPage({ site, origin }, (one) => own.owns(one, request))
  return isForeign ? crossSite() : undefined
}

const safeMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a browser says that a page of somebody else caused the request; other clients say nothing. */
function isForeignPage(
  { site, origin }: { site: string | string[] | undefined; origin: string | undefined },
  isOwn: (origin: string) => boolean,
): boolean {
  if (site !== undefined && !ownOrSameSite.has(site)) return true
  // `same-site` is another port or subdomain, which may be anybody's.
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
