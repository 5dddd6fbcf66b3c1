/** A URL as it may be shown and posted: without the user and password that may stand in it. */
export function redactUrl(text: string): string {
  if (!text.includes('@')) return text
  const url = URL.parse(text)
  if (!url || (url.username === '' && url.password === '')) return text
  url.username = ''
  url.password = ''
  return url.href
}

/** What lists are searched by: without user, query and fragment, any of which may hold a secret. */
export function searchableUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
