import { parseUrl } from '../../domain/parse-url.ts'

/** The destination of a request. The host is spelt as in `URL.hostname`, so each has one spelling. */
export interface Target {
  readonly host: string
  readonly port: number
}

/** The destination of an `http:` request, from its request line. */
export interface PlainTarget extends Target {
  /** The required value of the `Host` header. */
  readonly authority: string
  readonly path: string
}

// No user, no escapes: nothing that two parsers could read differently.
const hostPattern = '(?:\\[[\\da-f:.]+\\]|[^\\s:/?#@%\\\\[\\]]+)'
const authorityForm = new RegExp(`^${hostPattern}:\\d{1,5}$`, 'i')
const absoluteForm = new RegExp(`^http://(${hostPattern}(?::\\d{1,5})?)(/[^\\s#]*)?$`, 'i')

/** Reads the target of `CONNECT host:port`; undefined for anything else. */
export function readAuthorityForm(text: string): Target | undefined {
  return authorityForm.test(text) ? readAuthority(text) : undefined
}

/** Reads the target of `GET http://host/path`; undefined for every other form and scheme. */
export function readAbsoluteForm(text: string): PlainTarget | undefined {
  const [, authority, path = '/'] = absoluteForm.exec(text) ?? []
  const target = authority === undefined ? undefined : readAuthority(authority)
  return target && { ...target, path }
}

function readAuthority(text: string): (Target & { authority: string }) | undefined {
  const url = parseUrl(`http://${text}`)
  const port = Number(url?.port || 80)
  return url && port > 0 ? { host: url.hostname, port, authority: url.host } : undefined
}
