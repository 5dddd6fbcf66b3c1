import type { Cookie } from 'tough-cookie'
import type { PageCookie } from '../../domain/scrape/page.ts'
import type { ScrapeOptions } from '../../domain/scrape/scrape-options.ts'

/** The cookies of one task, sent and stored by the rules that browsers follow (RFC 6265). */
export interface CookieJar {
  /** The value of the `Cookie` header; undefined where no cookie matches the URL. */
  headerFor(url: URL): string | undefined
  storeSetCookies(setCookies: readonly string[], from: URL): void
  /** The cookies that have not expired, the oldest first. */
  list(): Promise<PageCookie[]>
}

const setCookiesMax = 1_000

export async function openCookieJar(
  given: ScrapeOptions['cookies'],
  target: URL,
): Promise<CookieJar> {
  // Imported with the first cookie, because its list of public suffixes takes much memory.
  const { Cookie, CookieJar, MemoryCookieStore, canonicalDomain } = await import('tough-cookie')
  const store = new MemoryCookieStore()
  const jar = new CookieJar(store, { looseMode: true, allowSpecialUseDomain: true })
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
    headerFor: (url) => toHeaderText(jar.getCookieStringSync(url.href)),
    storeSetCookies(setCookies, from) {
      for (const text of setCookies.slice(0, setCookiesMax)) {
        jar.setCookieSync(text, from.href, { ignoreError: true })
      }
    },
    async list() {
      const nowMs = Date.now()
      const cookies = await store.getAllCookies()
      return cookies
        .filter((cookie) => cookie.TTL(nowMs) > 0)
        .sort((one, other) => one.creationIndex - other.creationIndex)
        .map(toPageCookie)
    },
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
  const expiresMs = cookie.expiryTime() ?? Number.POSITIVE_INFINITY
  const hasExpiry = cookie.isPersistent() && expiresMs !== Number.POSITIVE_INFINITY
  return {
    name: cookie.key,
    value: cookie.value,
    domain: `${cookie.hostOnly ? '' : '.'}${cookie.domain ?? ''}`,
    path: cookie.path ?? '/',
    expires: hasExpiry ? new Date(Math.min(expiresMs, expiresMsMax)).toISOString() : null,
    httpOnly: cookie.httpOnly,
    secure: cookie.secure,
    sameSite: sameSites.get(cookie.sameSite ?? '') ?? null,
  }
}

const sameSites = new Map([
  ['strict', 'Strict'],
  ['lax', 'Lax'],
  ['none', 'None'],
])
