import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { OfferedCredentials } from '../../accounts/authenticator.ts'
import { readSessionCookie } from './session-cookie.ts'

/** Reads the credentials from the headers; the authenticator verifies them. */
export function offeredCredentials(
  { authorization, 'x-api-key': apiKey, cookie }: IncomingHttpHeaders,
  address: string,
): OfferedCredentials {
  const apiKeys = apiKey === undefined ? [] : [apiKey].flat().map(decodeUtf8)
  const sessionToken = cookie === undefined ? undefined : readSessionCookie(cookie)
  if (authorization === undefined) return { apiKeys, basic: undefined, sessionToken, address }
  const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(authorization) ?? []
  if (scheme.toLowerCase() === 'bearer') {
    return { apiKeys: [...apiKeys, decodeUtf8(value)], basic: undefined, sessionToken, address }
  }
  const basic = scheme.toLowerCase() === 'basic' ? readBasic(value) : 'unreadable'
  return { apiKeys, basic, sessionToken, address }
}

/** Node decodes headers as Latin-1; bytes that are valid UTF-8 are decoded as such here. */
function decodeUtf8(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : text
}

function readBasic(value: string): OfferedCredentials['basic'] {
  const bytes = Buffer.from(value, 'base64')
  const text = bytes.toString('utf8')
  const colon = text.indexOf(':')
  const username = text.slice(0, colon)
  // PostgreSQL cannot search for a text with a null character, and no user name has one.
  if (!isUtf8(bytes) || colon < 0 || username.includes('\0')) return 'unreadable'
  return { username, password: text.slice(colon + 1) }
}
