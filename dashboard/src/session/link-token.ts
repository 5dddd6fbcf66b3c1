const fragment = /^#sign-in=([\w-]+)$/

/** Takes the one-time token out of the address, and replaces the entry of the history that had it. */
export function takeLinkToken({ location, history }: Window): string | undefined {
  const token = fragment.exec(location.hash)?.[1]
  if (token) history.replaceState(null, '', location.pathname + location.search)
  return token
}
