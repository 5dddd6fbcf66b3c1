import { isIP } from 'node:net'
import { canonicalBlock } from './ip-block.ts'

/**
 * The one spelling in which hosts are compared: lower case, punycode, no trailing dot, addresses in
 * canonical form without brackets. Takes a `Host` header, with or without a port; undefined when it is none.
 */
export function canonicalHost(authority: string): string | undefined {
  const hostname = parseAuthority('http:', authority)?.hostname.replace(/\.$/, '')
  if (!hostname) return undefined
  const literal = /^\[(.*)\]$/.exec(hostname)?.[1]
  return literal === undefined ? hostname : canonicalBlock(literal)
}

/** The same for a name or an address as settings and sockets have them: no port, no brackets. */
export const canonicalName = (text: string): string | undefined =>
  isIP(text) === 0 ? canonicalHost(text) : canonicalBlock(text)

/** The authority with its port, as an origin of that scheme has it: without the default one. */
export const canonicalAuthority = (scheme: string, authority: string): string | undefined =>
  parseAuthority(scheme, authority)?.host

/** A URL would take a path, a user name or a backslash beside the host; a `Host` header has none. */
function parseAuthority(scheme: string, authority: string): URL | undefined {
  if (!/^(\[[\da-f:.]+\]|[^\s/?#@\\:[\]*,]+)(:\d{1,5})?$/i.test(authority)) return undefined
  return URL.parse(`${scheme}//${authority}`) ?? undefined
}
