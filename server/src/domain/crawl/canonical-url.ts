import { parseUrl } from '../parse-url.ts'
import { normalizeEscapes } from './percent-encoding.ts'

/** As long as the URLs that a request may name; longer ones are data rather than addresses. */
export const urlCharactersMax = 8_192

/**
 * The spelling by which a crawl knows a page: two URLs with the same one are the same page. The URL
 * parser removes dot segments and default ports and lower-cases scheme and host; the order of query
 * parameters stays. Credentials are dropped, as they are from the URLs of redirects: they are a header
 * of the request rather than part of an address. Undefined for what is no http or https URL and for
 * what is too long.
 */
export function canonicalUrl(url: string | URL): string | undefined {
  const parsed = parseHttpUrl(url)
  if (!parsed) return undefined
  if (parsed.hash !== '' || parsed.href.endsWith('#')) parsed.hash = ''
  if (parsed.username !== '') parsed.username = ''
  if (parsed.password !== '') parsed.password = ''
  const canonical = normalizeEscapes(parsed.href)
  return canonical.length > urlCharactersMax ? undefined : canonical
}

/** A URL of its own, which the caller may change; undefined where it is none of http or https. */
export function parseHttpUrl(url: string | URL): URL | undefined {
  const text = typeof url === 'string' ? url : url.href
  if (text.length > urlCharactersMax) return undefined
  const parsed = parseUrl(text)
  return parsed?.protocol === 'http:' || parsed?.protocol === 'https:' ? parsed : undefined
}
