import type { KeptProxy } from '../proxy/proxy.ts'
import type { JarCookie } from './jar-cookie.ts'

/** What the extractions of an account that name the same session share: a cookie jar and a proxy. */
export interface CookieSession {
  /** The oldest first. */
  cookies: JarCookie[]
  /** Null before the first response, and where connections are direct. */
  proxy: KeptProxy | null
}

export const newCookieSession: Readonly<CookieSession> = Object.freeze({ cookies: [], proxy: null })

/** A session expires so long after its last use. */
export const sessionKeptMs = 30 * 60_000

/** An account that begins another session loses the one that it has not used for the longest time. */
export const sessionsMax = 1_000

/** The session after an attempt that got a response: its cookies and its proxy replace those before. */
export const sessionAfter = (
  before: Readonly<CookieSession>,
  { jar, proxy }: { jar: readonly JarCookie[]; proxy: KeptProxy | null },
  nowMs: number,
): CookieSession => ({ cookies: limitJar(inOrderOfAge(before.cookies, jar), nowMs), proxy })

/** The limit of browsers for name and value together. */
const cookieBytesMax = 4096
const jarLimits = { cookies: 300, bytes: 64 * 1024 }
/** So that one host cannot displace the cookies of all others. */
const domainLimits = { cookies: 50, bytes: 16 * 1024 }

/** A browser lists cookies in an order of its own; those that were there before are the older ones. */
function inOrderOfAge(before: readonly JarCookie[], after: readonly JarCookie[]): JarCookie[] {
  const ages = new Map(before.map((cookie, age) => [identityOf(cookie), age]))
  const ageOf = (cookie: JarCookie) => ages.get(identityOf(cookie)) ?? before.length
  return after
    .map((cookie) => ({ cookie, age: ageOf(cookie) }))
    .sort((one, other) => one.age - other.age)
    .map(({ cookie }) => cookie)
}

const identityOf = ({ domain, isHostOnly, path, name, partition }: JarCookie): string =>
  JSON.stringify([domain, isHostOnly, path, name, partition?.topLevelSite])

/** Drops expired and oversized cookies, and beyond the limits of a host and of the jar the oldest. */
function limitJar(cookies: readonly JarCookie[], nowMs: number): JarCookie[] {
  const inJar = { cookies: 0, bytes: 0 }
  const inDomains = new Map<string, typeof inJar>()
  const kept: JarCookie[] = []
  for (const cookie of cookies.toReversed()) {
    if (cookie.expiresAtMs !== null && cookie.expiresAtMs <= nowMs) continue
    if (Buffer.byteLength(cookie.name + cookie.value) > cookieBytesMax) continue
    const inDomain = inDomains.get(cookie.domain) ?? { cookies: 0, bytes: 0 }
    inDomains.set(cookie.domain, inDomain)
    const bytes = Buffer.byteLength(JSON.stringify(cookie))
    if (!hasRoom(inDomain, domainLimits, bytes) || !hasRoom(inJar, jarLimits, bytes)) continue
    for (const total of [inDomain, inJar]) {
      total.cookies += 1
      total.bytes += bytes
    }
    kept.push(cookie)
  }
  return kept.reverse()
}

const hasRoom = (
  total: { cookies: number; bytes: number },
  limits: { cookies: number; bytes: number },
  bytes: number,
): boolean => total.cookies < limits.cookies && total.bytes + bytes <= limits.bytes
