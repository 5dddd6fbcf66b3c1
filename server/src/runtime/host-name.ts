import { isIP } from 'node:net'
import { canonicalBlock } from './ip-block.ts'

/**
 * The canonical form in which hosts are compared: lower case, punycode, no trailing dot, addresses in
 * canonical form without brackets. Takes a `Host` header, with or without a port; undefined if it is invalid.
 */
export function canonicalHost(authority: string): string | undefined {
  const hostname = parseAuthority('http:', authority)?.hostname.replace(/\.$/, '')
  if (!hostname) return undefined
  const literal = /^\[(.*)\]$/.exec(hostname)?.[1]
  return literal === undefined ? hostname : canonicalBlock(literal)
}

/** The same for a name or address from settings and sockets: without port and brackets. */
export const canonicalName = (text: string): string | undefined =>
  isIP(text) === 0 ? canonicalHost(text) : canonicalBlock(text)

/** The host with its port, unless that is the default port of the scheme. */
export const canonicalAuthority = (scheme: string, authority: string): string | undefined =>
  parseAuthority(scheme, authority)?.host

/** No name is longer, with its port (RFC 1035). The parser takes 100 ms for one of 4 000 characters. */
const authorityCharactersMax = 261

/** Stricter than the URL parser, which would also accept a path, a user name or a backslash. */
function parseAuthority(scheme: string, authority: string): URL | undefined {
  if (authority.length > authorityCharactersMax) return undefined
  if (!/^(\[[\da-f:.]+\]|[^\s/?#@\\:[\]*,]+)(:\d{1,5})?$/i.test(authority)) return undefined
  return URL.parse(`${scheme}//${authority}`) ?? undefined
}
