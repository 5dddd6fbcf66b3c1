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

/**
 * For a page of a stranger in a frame of the dashboard: it may have its own inline styles and images, and
 * nothing else. Its anchors leak no referrer, and their host names are not looked up.
 */
export const previewHeaders = {
  'content-security-policy':
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'",
  'referrer-policy': 'no-referrer',
  'x-dns-prefetch-control': 'off',
} as const

/** For signed links, which other sites may embed. */
export const embeddableHeaders = { 'cross-origin-resource-policy': 'cross-origin' } as const
