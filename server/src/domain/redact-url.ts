/** Redacts a URL for display and webhooks: removes its user and password. */
export function redactUrl(text: string): string {
  if (!text.includes('@')) return text
  const url = URL.parse(text)
  if (!url || (url.username === '' && url.password === '')) return text
  url.username = ''
  url.password = ''
  return url.href
}

/** The part of a URL that lists can be searched by; user, query and fragment may contain secrets. */
export function searchableUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
