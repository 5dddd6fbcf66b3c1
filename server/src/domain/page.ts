/** What an engine brings back: the target's last answer, its body as it came. */
export interface Page {
  statusCode: number
  /** After every redirect. */
  url: string
  /** Lower-case names; a repeated one is joined with `, `. Without `set-cookie`, which became `cookies`. */
  headers: Record<string, string>
  cookies: PageCookie[]
  /** Still encoded as `headers['content-encoding']` says. */
  body: Uint8Array
  bandwidth: Bandwidth
  /** Every request that was made for it, in order; redirects are requests too. */
  requests: PageRequestRecord[]
}

export interface PageRequestRecord {
  url: string
  type: string
  statusCode: number | null
  bytes: number
  durationMs: number
  isBlocked: boolean
}

export interface PageCookie {
  name: string
  value: string
  domain: string
  path: string
  /** ISO 8601; null for one that ends with the session. */
  expires: string | null
  httpOnly: boolean
  secure: boolean
  sameSite: string | null
}

/** Bytes on the wire and requests made, redirects included. */
export interface Bandwidth {
  received: number
  sent: number
  requests: number
}

/** Where the time of one attempt went; what did not happen, as with a reused connection, took 0. */
export interface AttemptTimings {
  dnsMs: number
  connectMs: number
  tlsMs: number
  firstByteMs: number
  downloadMs: number
}
