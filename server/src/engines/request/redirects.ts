import { isUtf8 } from 'node:buffer'
import { Failure } from '../../domain/failure.ts'
import { parseUrl } from '../../domain/parse-url.ts'

export const redirectsMax = 10

const redirectStatuses = new Set([301, 302, 303, 307, 308])

export const tooManyRedirects = (): Failure =>
  new Failure(
    'TOO_MANY_REDIRECTS',
    `The target redirected more than ${redirectsMax} times; it may want cookies or other headers.`,
  )

export const isRedirect = (statusCode: number): boolean => redirectStatuses.has(statusCode)

/** The URL that a response redirects to; undefined where it is no redirect. */
export function findRedirect(
  { statusCode, headers }: { statusCode: number; headers: readonly [string, string][] },
  from: URL,
): URL | undefined {
  if (!isRedirect(statusCode)) return undefined
  const location = headers.find(([name]) => name === 'location')?.[1].trim()
  // Browsers show a redirect without a location as a page instead of requesting it again.
  if (!location) return undefined
  const url = parseUrl(asUtf8(location), from.href)
  if (!url) {
    throw new Failure('BAD_RESPONSE', 'The target redirected to a location that is not a URL.')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Failure(
      'URL_NOT_ALLOWED',
      'The target redirected to a URL that is not http or https.',
    )
  }
  return bareUrl(url)
}

/** Removes what no request line has: the fragment, and the credentials, which become a header. */
export function bareUrl(url: URL): URL {
  if (url.hash === '' && url.username === '' && url.password === '') return url
  const bare = new URL(url)
  bare.hash = ''
  bare.username = ''
  bare.password = ''
  return bare
}

/** Headers are read as Latin-1, but many servers write paths in UTF-8. */
function asUtf8(text: string): string {
  if (!/^[\0-\xff]*[\x80-\xff][\0-\xff]*$/.test(text)) return text
  const bytes = Buffer.from(text, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : text
}
