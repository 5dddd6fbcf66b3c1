import type { Cookie } from 'tough-cookie'
import type { PageCookie } from '../../domain/scrape/page.ts'

/** A cookie that the caller wants to be sent. Without a domain it is for the target's host alone. */
export interface GivenCookie {
  name: string
  value: string
  domain?: string | undefined
}

/** The cookies of one task, by the rules that browsers have for them. */
export interface CookieJar {
  /** The value of the `Cookie` header, if there is one. */
  headerFor(url: URL): string | undefined
  take(setCookies: readonly string[], from: URL): void
  /** What there is at the end, the oldest first. */
  list(): Promise<PageCookie[]>
}

const setCookiesMax = 1_000

export async function openCookieJar(
  given: readonly GivenCookie[],
  target: URL,
): Promise<CookieJar> {
  // Loaded with the first cookie: the list of public suffixes is large.
  const { Cookie, CookieJar, MemoryCookieStore, canonicalDomain } = await import('tough-cookie')
  const store = new MemoryCookieStore()
  const jar = new CookieJar(store, { looseMode: true, allowSpecialUseDomain: true })
  for (const { name, value, domain } of given) {
    // Past the jar's checks: whose cookie it is is the caller's word, not the first host's.
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
    take(setCookies, from) {
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

/** A header is made of bytes: what a cookie has beyond them is sent as UTF-8, as browsers do. */
function toHeaderText(cookies: string): string | undefined {
  if (cookies === '') return undefined
  return /^[\0-\xff]*$/.test(cookies) ? cookies : Buffer.from(cookies).toString('latin1')
}

/** The end of the year 9999: beyond it dates have no common spelling. */
const expiresMsMax = 253_402_300_799_000

/** As the browser's protocol describes cookies, so that both engines say the same. */
function toPageCookie(cookie: Cookie): PageCookie {
  const expiresMs = cookie.expiryTime() ?? Number.POSITIVE_INFINITY
  const isKept = cookie.isPersistent() && expiresMs !== Number.POSITIVE_INFINITY
  return {
    name: cookie.key,
    value: cookie.value,
    domain: `${cookie.hostOnly ? '' : '.'}${cookie.domain ?? ''}`,
    path: cookie.path ?? '/',
    expires: isKept ? new Date(Math.min(expiresMs, expiresMsMax)).toISOString() : null,
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
