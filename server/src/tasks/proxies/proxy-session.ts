import { randomBytes } from 'node:crypto'
import { sessionCharacters } from '../../domain/proxy/fill-proxy-template.ts'

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** A value for `{session}`, new for each attempt: a vendor's gateway gives each its own exit IP. */
export function newProxySession(): string {
  let session = ''
  for (const byte of randomBytes(sessionCharacters)) session += alphabet[byte % alphabet.length]
  return session
}
