/**
 * The security headers of every response, errors and JSON included. Any response may contain scraped text.
 * Under this policy (CSP sandbox) a browser runs no script of it, loads nothing for it and gives it an
 * origin of its own, so that it cannot call our API with the credentials of the person who opened it.
 * Only our own pages replace the policy by theirs (`html-page.ts`).
 */
export const strictHeaders = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const

/** For signed links, which other sites may embed. */
export const embeddableHeaders = { 'cross-origin-resource-policy': 'cross-origin' } as const
