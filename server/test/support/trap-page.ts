/** One URL of the trap site: what it answers, and what a crawler must make of the answer. */
export interface TrapPage {
  status: number
  headers: Record<string, string>
  body: string | Buffer
  /** The links that count, in the order of the page, with their canonical targets. */
  links: readonly TrapLink[]
  /** How the page asks crawlers not to follow its links. */
  nofollow?: 'meta' | 'header'
  /** Where the page redirects to, as a canonical URL. */
  redirectsTo?: string
  /** Why the page cannot be fetched at all. */
  failure?: string
  /** Whether robots.txt disallows it. The generator decides it; nothing reads the robots.txt. */
  isDisallowed?: boolean
  isSlow?: boolean
  /** The body for a client that a redirect with a cookie sent here. */
  redirectedBody?: string
}

/** What `redirectPage` makes clients carry along, so that the end can tell how they came. */
export const redirectedCookie = 'redirected=1'

interface TrapLink {
  to: string
  isNofollow: boolean
}

/** Pages by their canonical URL. */
export type TrapPages = Record<string, TrapPage>

/** A piece of HTML. With `to`, it is a link that counts; without, no crawler may follow it. */
export interface HtmlPiece {
  markup: string
  to?: string
  isNofollow?: boolean
}

/** A link to a canonical URL, spelled as `href` where that differs. */
export const link = (to: string, href = to): HtmlPiece => ({
  markup: `<a href="${escapeAttribute(href)}">read on</a>`,
  to,
})

export const nofollowLink = (to: string, rel = 'nofollow'): HtmlPiece => ({
  markup: `<a rel="${rel}" href="${escapeAttribute(to)}">an advertisement</a>`,
  to,
  isNofollow: true,
})

/** Markup that looks like a link, or is one to something that is no page. */
export const inert = (markup: string): HtmlPiece => ({ markup })

interface HtmlExtras extends Partial<TrapPage> {
  head?: string
  title?: string
}

export function htmlPage(pieces: readonly HtmlPiece[], extras: HtmlExtras = {}): TrapPage {
  const { head = '', title = 'A page', headers, ...rest } = extras
  const paragraphs = pieces.map(({ markup }) => `<p>Some words, then ${markup}.</p>`).join('\n')
  return {
    status: 200,
    body: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head>\n<body>${paragraphs}</body></html>\n`,
    links: pieces.flatMap(({ to, isNofollow = false }) => (to ? [{ to, isNofollow }] : [])),
    ...rest,
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
  }
}

/** A redirect to a canonical URL, with `Location` spelled differently where that matters. */
export const redirectPage = (to: string, { status = 302, location = to } = {}): TrapPage => ({
  status,
  headers: { 'content-type': 'text/html', location, 'set-cookie': `${redirectedCookie}; Path=/` },
  body: '<p>It moved.</p>',
  links: [],
  redirectsTo: to,
})

export const otherPage = (contentType: string, body: string | Buffer): TrapPage => ({
  status: 200,
  headers: { 'content-type': contentType },
  body,
  links: [],
})

/** A page that no request reaches. */
export const unreachablePage = (failure: string): TrapPage => ({
  ...otherPage('text/plain', ''),
  failure,
})

const escapeAttribute = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
