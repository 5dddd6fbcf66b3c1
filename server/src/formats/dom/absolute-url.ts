import { parseUrl } from '../../domain/parse-url.ts'

/** As long as the URLs that a request may name; longer ones are data rather than addresses. */
const charactersMax = 8_192

/**
 * The absolute http or https URL that a reference of the page means. Undefined for other schemes
 * (`mailto:`, `javascript:`, `tel:`, `data:`), for text that is no URL and for what is too long.
 */
export function absoluteUrl(reference: string, baseUrl: string): URL | undefined {
  if (reference.length > charactersMax) return undefined
  const url = parseUrl(reference.trim(), baseUrl)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined
}
