/** A secret as Standard Webhooks writes it: `whsec_` and base64. */
export const generateSigningSecret = (random: Uint8Array): string =>
  `whsec_${Buffer.from(random).toString('base64')}`

/** How long a rotated secret still signs beside its successor, so that receivers can change over. */
export const secretRetiresAfterMs = 24 * 3_600_000
