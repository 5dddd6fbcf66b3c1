import { parseUrl } from './parse-url.ts'

/** Redacts a URL for display and webhooks: removes its user and password. */
export function redactUrl(text: string): string {
  if (!text.includes('@')) return text
  const url = parseUrl(text)
  if (!url || (url.host === '' && url.protocol !== 'mailto:')) return redactMalformed(text)
  if (url.username === '' && url.password === '') return text
  url.username = ''
  url.password = ''
  return url.href
}

/** What stands before the last `@` may be a password, with whatever characters. */
function redactMalformed(text: string): string {
  const [, scheme = '', user = ''] = /^(\s*[a-z][a-z\d+.-]*:\/\/|\s*\/\/)?(.*)@/is.exec(text) ?? []
  const isCredentials = scheme !== '' || user.includes(':')
  return isCredentials ? scheme + text.slice(scheme.length + user.length + 1) : text
}

/** The part of a URL that lists can be searched by; user, query and fragment may contain secrets. */
export function searchableUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
