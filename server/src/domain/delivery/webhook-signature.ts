import { createHmac, timingSafeEqual } from 'node:crypto'

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

export type SignatureVerdict = 'right' | 'wrong' | 'too old' | 'too new'

const toleranceSeconds = 300

/** Verifies a received message; the header `signature` has one or more, separated by spaces. */
export function verifyStandard(
  secret: string,
  received: { id: string; timestamp: string; signature: string; chunks: readonly Uint8Array[] },
  nowSeconds: number,
): SignatureVerdict {
  const { id, timestamp, signature, chunks } = received
  if (!/^\d{1,12}$/.test(timestamp)) return 'wrong'
  const timestampSeconds = Number(timestamp)
  const expected = signStandard(secret, { id, timestampSeconds, chunks })
  if (!signature.split(' ').some((one) => isSame(one, expected))) return 'wrong'
  if (nowSeconds - timestampSeconds > toleranceSeconds) return 'too old'
  return timestampSeconds - nowSeconds > toleranceSeconds ? 'too new' : 'right'
}

export const verifyVendor = (
  secret: string,
  { signature, chunks }: { signature: string; chunks: readonly Uint8Array[] },
): 'right' | 'wrong' => (isSame(signature, signVendor(secret, chunks)) ? 'right' : 'wrong')

const prefix = 'whsec_'

/** A secret in another form, such as the operator's own, is the key itself. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(prefix)
    ? Buffer.from(secret.slice(prefix.length), 'base64')
    : Buffer.from(secret)

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}
