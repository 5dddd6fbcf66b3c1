const prefix = 'whsec_'

/** A secret in the form of Standard Webhooks: `whsec_` and base64. */
export const generateSigningSecret = (random: Uint8Array): string =>
  `${prefix}${Buffer.from(random).toString('base64')}`

const bytesMin = 24
const bytesMax = 64
const charactersMin = 24

/**
 * Whether a secret is long enough to sign with: 24 to 64 bytes in the form of Standard Webhooks, or a
 * long text of the operator's own. With the prefix `whsec_` it must be the former.
 */
export function isSigningSecret(text: string): boolean {
  if (!text.startsWith(prefix)) return text.length >= charactersMin
  const encoded = text.slice(prefix.length)
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return false
  const bytes = Buffer.byteLength(encoded, 'base64')
  return bytes >= bytesMin && bytes <= bytesMax
}

/** How long a rotated secret still signs beside the new one, so that receivers can change over. */
export const secretRetiresAfterMs = 24 * 3_600_000
