import type { Cookie } from 'tough-cookie'
import { parseUrl } from '../../domain/parse-url.ts'
import type { CookiePartition, JarCookie, SameSite } from '../../domain/scrape/jar-cookie.ts'
import type { PageCookie } from '../../domain/scrape/page.ts'
import type { ScrapeOptions } from '../../domain/scrape/scrape-options.ts'

/** Of all responses of a task: a chain of redirects would otherwise hand over as many again at each. */
const setCookiesMax = 1_000

/** The cookies of one task, sent and stored by the rules that browsers follow (RFC 6265). */
export type CookieJar = Awaited<ReturnType<typeof openCookieJar>>

/** The jar begins with the cookies of the session, then come those that the caller gives. */
export async function openCookieJar(
  given: ScrapeOptions['cookies'],
  target: URL,
  kept: readonly JarCookie[] = [],
) {
  // Imported with the first cookie, because its list of public suffixes takes much memory.
  const library = await import('tough-cookie')
  const { Cookie, CookieJar, MemoryCookieStore, canonicalDomain, getPublicSuffix } = library
  const store = new MemoryCookieStore()
  const jar = new CookieJar(store, { looseMode: true, allowSpecialUseDomain: true })
  const siteOf = (domain: string): string =>
    getPublicSuffix(domain, { allowSpecialUseDomain: true, ignoreError: true }) ?? domain
  // The library does not know `Partitioned`. This engine fetches documents only, which never get cookies
  // of another site's partition, so those stay out of the library's jar.
  const partitions = new WeakMap<Cookie, CookiePartition>()
  let setCookiesLeft = setCookiesMax
  const foreign = kept.filter((cookie) => !isFirstParty(cookie, siteOf))
  for (const cookie of kept) {
    if (!isFirstParty(cookie, siteOf)) continue
    const stored = new Cookie(toLibraryCookie(cookie))
    if (cookie.partition) partitions.set(stored, cookie.partition)
    await store.putCookie(stored)
  }
  for (const { name, value, domain } of given) {
    // The store skips the jar's domain check: the caller may set cookies for any domain.
    await store.putCookie(
      new Cookie({
        key: name,
        value,
        path: '/',
        domain: canonicalDomain(domain ?? target.hostname) ?? null,
        hostOnly: domain === undefined,
        creation: new Date(),
      }),
    )
  }

  return {
    /** The value of the `Cookie` header; undefined where no cookie matches the URL. */
    headerFor: (url: URL) => toHeaderText(jar.getCookieStringSync(url.href)),
    storeSetCookies(setCookies: readonly string[], from: URL) {
      const read = setCookies.slice(0, setCookiesLeft)
      setCookiesLeft -= read.length
      for (const text of read) {
        const stored = jar.setCookieSync(text, from.href, { ignoreError: true })
        if (!stored || !isPartitioned(stored)) continue
        const topLevelSite = `${from.protocol}//${siteOf(from.hostname)}`
        partitions.set(stored, { topLevelSite, hasCrossSiteAncestor: false })
      }
    },
    /** The cookies that have not expired, the oldest first. */
    list: async () => (await listValid()).map(toPageCookie),
    /** The same with all that another jar needs to treat them alike. */
    dump: async () => [
      ...(await listValid()).map((cookie) => toJarCookie(cookie, partitions.get(cookie))),
      ...foreign,
    ],
  }

  async function listValid(): Promise<Cookie[]> {
    const nowMs = Date.now()
    const cookies = await store.getAllCookies()
    return cookies
      .filter((cookie) => cookie.TTL(nowMs) > 0)
      .sort((one, other) => one.creationIndex - other.creationIndex)
  }
}

/** Headers are written as Latin-1 bytes; browsers send other characters of a cookie as UTF-8. */
function toHeaderText(cookies: string): string | undefined {
  if (cookies === '') return undefined
  return /^[\0-\xff]*$/.test(cookies) ? cookies : Buffer.from(cookies).toString('latin1')
}

/** The end of the year 9999: ISO 8601 writes later years in another form. */
const expiresMsMax = 253_402_300_799_000

/** Describes a cookie as the browser's protocol (CDP) does, so that both engines return the same. */
function toPageCookie(cookie: Cookie): PageCookie {
  const expiresAtMs = expiresAtMsOf(cookie)
  return {
    name: cookie.key,
    value: cookie.value,
    domain: `${cookie.hostOnly ? '' : '.'}${cookie.domain ?? ''}`,
    path: cookie.path ?? '/',
    expires: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
    httpOnly: cookie.httpOnly,
    secure: cookie.secure,
    sameSite: sameSites.get(cookie.sameSite ?? '') ?? null,
  }
}

/** Null for a cookie without an expiry. */
function expiresAtMsOf(cookie: Cookie): number | null {
  const expiresMs = cookie.expiryTime() ?? Number.POSITIVE_INFINITY
  const hasExpiry = cookie.isPersistent() && expiresMs !== Number.POSITIVE_INFINITY
  return hasExpiry ? Math.min(expiresMs, expiresMsMax) : null
}

const sameSites = new Map<string, SameSite>([
  ['strict', 'Strict'],
  ['lax', 'Lax'],
  ['none', 'None'],
])

/** The library keeps attributes that it does not know as text. */
const isPartitioned = ({ extensions, secure }: Cookie): boolean =>
  secure && (extensions?.some((one) => one.toLowerCase() === 'partitioned') ?? false)

const isFirstParty = (
  { partition, domain }: JarCookie,
  siteOf: (domain: string) => string,
): boolean =>
  !partition ||
  (!partition.hasCrossSiteAncestor && parseUrl(partition.topLevelSite)?.hostname === siteOf(domain))

const toLibraryCookie = (cookie: JarCookie) => ({
  key: cookie.name,
  value: cookie.value,
  domain: cookie.domain,
  hostOnly: cookie.isHostOnly,
  path: cookie.path,
  expires: cookie.expiresAtMs === null ? ('Infinity' as const) : new Date(cookie.expiresAtMs),
  secure: cookie.isSecure,
  httpOnly: cookie.isHttpOnly,
  ...(cookie.sameSite && { sameSite: cookie.sameSite.toLowerCase() }),
  creation: new Date(),
})

function toJarCookie(cookie: Cookie, partition: CookiePartition | undefined): JarCookie {
  return {
    name: cookie.key,
    value: cookie.value,
    domain: cookie.domain ?? '',
    isHostOnly: cookie.hostOnly ?? true,
    path: cookie.path ?? '/',
    expiresAtMs: expiresAtMsOf(cookie),
    isSecure: cookie.secure,
    isHttpOnly: cookie.httpOnly,
    sameSite: sameSites.get(cookie.sameSite ?? '') ?? null,
    ...(partition && { partition }),
  }
}
