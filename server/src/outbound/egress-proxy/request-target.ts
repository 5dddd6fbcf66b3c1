/** Where a request wants to go. The host is spelt as `URL.hostname` does, so that each has one spelling. */
export interface Target {
  readonly host: string
  readonly port: number
}

/** A plain request, as its first line names it. */
export interface PlainTarget extends Target {
  /** What a `Host` header must say. */
  readonly authority: string
  readonly path: string
}

// No user, no escapes, nothing that two parsers could read in two ways.
const hostPattern = '(?:\\[[\\da-f:.]+\\]|[^\\s:/?#@%\\\\[\\]]+)'
const authorityForm = new RegExp(`^${hostPattern}:\\d{1,5}$`, 'i')
const absoluteForm = new RegExp(`^http://(${hostPattern}(?::\\d{1,5})?)(/[^\\s#]*)?$`, 'i')

/** Of `CONNECT host:port`; undefined for anything else. */
export function readAuthorityForm(text: string): Target | undefined {
  return authorityForm.test(text) ? readAuthority(text) : undefined
}

/** Of `GET http://host/path`; undefined for every other form and scheme. */
export function readAbsoluteForm(text: string): PlainTarget | undefined {
  const [, authority, path = '/'] = absoluteForm.exec(text) ?? []
  const target = authority === undefined ? undefined : readAuthority(authority)
  return target && { ...target, path }
}

function readAuthority(text: string): (Target & { authority: string }) | undefined {
  const url = URL.parse(`http://${text}`)
  const port = Number(url?.port || 80)
  return url && port > 0 ? { host: url.hostname, port, authority: url.host } : undefined
}
