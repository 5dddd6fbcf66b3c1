import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { OfferedCredentials } from '../accounts/authenticator.ts'

/** What a request's headers offer; whether any of it is good is for the gate to say. */
export function offeredCredentials(
  { authorization, 'x-api-key': apiKey }: IncomingHttpHeaders,
  address: string,
): OfferedCredentials {
  const apiKeys = apiKey === undefined ? [] : [apiKey].flat().map(asSent)
  if (authorization === undefined) return { apiKeys, basic: undefined, address }
  const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(authorization) ?? []
  if (scheme.toLowerCase() === 'bearer') {
    return { apiKeys: [...apiKeys, asSent(value)], basic: undefined, address }
  }
  const basic = scheme.toLowerCase() === 'basic' ? readBasic(value) : 'unreadable'
  return { apiKeys, basic, address }
}

/** Node takes the bytes of a header for Latin-1; where they are UTF-8, that is what was meant. */
function asSent(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : text
}

function readBasic(value: string): OfferedCredentials['basic'] {
  const bytes = Buffer.from(value, 'base64')
  const text = bytes.toString('utf8')
  const colon = text.indexOf(':')
  const username = text.slice(0, colon)
  // A null character is in no name: PostgreSQL could not even look for it.
  if (!isUtf8(bytes) || colon < 0 || username.includes('\0')) return 'unreadable'
  return { username, password: text.slice(colon + 1) }
}
