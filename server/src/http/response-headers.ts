/**
 * The headers of every response, errors and JSON included. What strangers wrote may be in any of them;
 * under this policy a browser that opens one runs no script of it, sends no request for it and gives it
 * an origin of its own, so that it cannot call our API with the credentials of the person who opened it.
 * Pages of our own replace the policy by theirs (`page.ts`); no other response may.
 */
export const strictHeaders = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const

/** A link that carries its own permission is made to be embedded in the pages of others. */
export const embeddableHeaders = { 'cross-origin-resource-policy': 'cross-origin' } as const
