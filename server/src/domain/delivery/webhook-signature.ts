import { createHmac, timingSafeEqual } from 'node:crypto'

/** What is signed of a message. */
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

/** The signature that clients of the `/v1` API know: of the body alone, keyed with the secret as it is written. */
export function signVendor(secret: string, chunks: readonly Uint8Array[]): string {
  const hmac = createHmac('sha256', secret)
  for (const chunk of chunks) hmac.update(chunk)
  return `sha256=${hmac.digest('hex')}`
}

export type SignatureVerdict = 'right' | 'wrong' | 'too old' | 'too new'

const toleranceSeconds = 300

/** Judges a received message; `signature` is the header: one or more signatures with spaces between. */
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

/** A secret of another form, such as an operator's own, is the key as it is written. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(prefix)
    ? Buffer.from(secret.slice(prefix.length), 'base64')
    : Buffer.from(secret)

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}
