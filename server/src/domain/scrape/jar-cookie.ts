/** A cookie with everything that decides to whom it is sent. It is stored, so it must survive JSON. */
export interface JarCookie {
  name: string
  value: string
  /** A host name or an address, without a leading dot and without brackets. */
  domain: string
  /** Only this host gets the cookie, not its subdomains. */
  isHostOnly: boolean
  path: string
  /** Null for a cookie without an expiry. */
  expiresAtMs: number | null
  isSecure: boolean
  isHttpOnly: boolean
  sameSite: SameSite | null
  /** A `Partitioned` cookie (CHIPS) is sent only below this top-level site. */
  partition?: CookiePartition
}

export type SameSite = 'Strict' | 'Lax' | 'None'

export interface CookiePartition {
  topLevelSite: string
  hasCrossSiteAncestor: boolean
}
