import { parseUrl } from '../../domain/parse-url.ts'
import { wordSet } from '../word-set.ts'

/** Longer addresses are data rather than links. */
const urlCharactersMax = 8192

const linkSchemes = wordSet('http: https: mailto: tel: ftp: sms: xmpp: magnet:')
const imageSchemes = new Set(['http:', 'https:'])

/** The absolute address of a link, and undefined where it leads nowhere, as `javascript:` does. */
export function linkUrl(href: string | null, baseUrl: string): string | undefined {
  if (!href || href.trim() === '' || href.trim() === '#') return undefined
  return resolve(href, baseUrl, linkSchemes)
}

/** The absolute address of an image or a video. */
export const imageUrl = (source: string | null, baseUrl: string): string | undefined =>
  source && source.trim() !== '' ? resolve(source, baseUrl, imageSchemes) : undefined

function resolve(href: string, baseUrl: string, schemes: ReadonlySet<string>): string | undefined {
  if (href.length > urlCharactersMax) return undefined
  const url = parseUrl(href.trim(), baseUrl)
  return url && schemes.has(url.protocol) ? destination(url.href) : undefined
}

/** Parentheses in an address may stand as they are only if they are in pairs. */
function destination(url: string): string {
  const safe = url.replace(/[\s<>\\]/g, encodeURIComponent)
  return hasPairedParentheses(safe)
    ? safe
    : safe.replace(/[()]/g, (one) => (one === '(' ? '%28' : '%29'))
}

function hasPairedParentheses(text: string): boolean {
  let open = 0
  for (const character of text) {
    if (character === '(') open++
    else if (character === ')') open--
    // Parsers allow 32 levels.
    if (open < 0 || open > 32) return false
  }
  return open === 0
}
