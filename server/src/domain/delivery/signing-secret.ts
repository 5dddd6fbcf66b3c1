const prefix = 'whsec_'

/** A secret as Standard Webhooks writes it: `whsec_` and base64. */
export const generateSigningSecret = (random: Uint8Array): string =>
  `${prefix}${Buffer.from(random).toString('base64')}`

const bytesMin = 24
const bytesMax = 64
const charactersMin = 24

/**
 * Whether a secret is long enough to sign with: 24 to 64 bytes as Standard Webhooks asks for, or a text
 * of the operator's own. What begins like the former and does not hold that many bytes is neither.
 */
export function isSigningSecret(text: string): boolean {
  if (!text.startsWith(prefix)) return text.length >= charactersMin
  const encoded = text.slice(prefix.length)
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return false
  const bytes = Buffer.byteLength(encoded, 'base64')
  return bytes >= bytesMin && bytes <= bytesMax
}

/** How long a rotated secret still signs beside its successor, so that receivers can change over. */
export const secretRetiresAfterMs = 24 * 3_600_000
