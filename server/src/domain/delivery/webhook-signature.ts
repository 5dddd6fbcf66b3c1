import { createHmac } from 'node:crypto'

/** The parts of a message that the signature covers. */
export interface SignedParts {
  id: string
  timestampSeconds: number
  chunks: readonly Uint8Array[]
}

/** The signature of Standard Webhooks: `v1,` and base64. */
export function signStandard(
  secret: string,
  { id, timestampSeconds, chunks }: SignedParts,
): string {
  const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestampSeconds}.`)
  for (const chunk of chunks) hmac.update(chunk)
  return `v1,${hmac.digest('base64')}`
}

/** The signature of the `/v1` API: it covers the body alone, with the secret's text as the key. */
export function signVendor(secret: string, chunks: readonly Uint8Array[]): string {
  const hmac = createHmac('sha256', secret)
  for (const chunk of chunks) hmac.update(chunk)
  return `sha256=${hmac.digest('hex')}`
}

const prefix = 'whsec_'

/** A secret in another form, such as the operator's own, is the key itself. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(prefix)
    ? Buffer.from(secret.slice(prefix.length), 'base64')
    : Buffer.from(secret)
