import { isIP, isIPv6 } from 'node:net'
import type { Protocol } from 'devtools-protocol'
import type { JarCookie } from '../../../domain/scrape/jar-cookie.ts'

/** The cookies of a browser context as a jar keeps them, except those that nobody could restore. */
export const toJar = (cookies: readonly Protocol.Network.Cookie[]): JarCookie[] =>
  cookies.filter((cookie) => !cookie.partitionKeyOpaque).map(toJarCookie)

const toJarCookie = (cookie: Protocol.Network.Cookie): JarCookie => ({
  name: cookie.name,
  value: cookie.value,
  domain: cookie.domain.replace(/^\.|^\[|\]$/g, ''),
  // The browser marks the cookies of a whole domain with a leading dot.
  isHostOnly: !cookie.domain.startsWith('.'),
  path: cookie.path,
  expiresAtMs: cookie.session ? null : Math.round(cookie.expires * 1_000),
  isSecure: cookie.secure,
  isHttpOnly: cookie.httpOnly,
  sameSite: cookie.sameSite ?? null,
  ...(cookie.partitionKey && { partition: cookie.partitionKey }),
})

/** The cookies of a jar as commands to a browser context; the browser checks each of them again. */
export const toCookieParams = (jar: readonly JarCookie[]): Protocol.Network.CookieParam[] =>
  jar.map((cookie) => ({
    name: cookie.name,
    value: cookie.value,
    // A cookie that is set by URL belongs to that host alone.
    ...(hasSubdomains(cookie) ? { domain: `.${cookie.domain}` } : { url: urlOf(cookie) }),
    path: cookie.path,
    secure: cookie.isSecure,
    httpOnly: cookie.isHttpOnly,
    ...(cookie.expiresAtMs !== null && { expires: cookie.expiresAtMs / 1_000 }),
    ...sameSiteOf(cookie),
    ...(cookie.partition && { partitionKey: cookie.partition }),
  }))

/** An address and a name without a dot have none, even if the cookie was set with `Domain`. */
const hasSubdomains = ({ isHostOnly, domain }: JarCookie): boolean =>
  !isHostOnly && domain.includes('.') && isIP(domain) === 0

const urlOf = ({ domain, isSecure }: JarCookie): string =>
  `${isSecure ? 'https' : 'http'}://${isIPv6(domain) ? `[${domain}]` : domain}/`

/** The browser rejects `SameSite=None` without `Secure`, which the HTTP engine accepts. */
const sameSiteOf = ({ sameSite, isSecure }: JarCookie) =>
  sameSite && (sameSite !== 'None' || isSecure) ? { sameSite } : {}
