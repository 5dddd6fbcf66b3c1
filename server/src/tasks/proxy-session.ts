import { randomBytes } from 'node:crypto'
import { sessionCharacters } from '../domain/proxy/fill-proxy-template.ts'

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** What stands for `{session}`, another one for each attempt: behind a gateway it is another way out. */
export function newProxySession(): string {
  let session = ''
  for (const byte of randomBytes(sessionCharacters)) session += alphabet[byte % alphabet.length]
  return session
}
