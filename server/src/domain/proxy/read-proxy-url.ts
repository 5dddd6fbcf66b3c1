import { parseUrl } from '../parse-url.ts'
import { fillUserName, proxyPlaceholders, sessionCharacters } from './fill-proxy-template.ts'
import type { ListedProxy, ProxyUser } from './proxy.ts'

export type ProxyAddress = Pick<ListedProxy, 'protocol' | 'host' | 'port' | 'user'>

/** The proxy always resolves the target's name, so `socks5` means the same as `socks5h`. */
const schemes: Record<string, { protocol: ListedProxy['protocol']; port: number }> = {
  'http:': { protocol: 'http', port: 80 },
  'https:': { protocol: 'https', port: 443 },
  'socks5:': { protocol: 'socks5', port: 1080 },
  'socks5h:': { protocol: 'socks5', port: 1080 },
}

const urlCharactersMax = 2_048
/** The limit of the SOCKS5 protocol. */
const credentialBytesMax = 255

/** The address and user of a proxy, or what is wrong with its URL, without quoting the URL. */
export function readProxyUrl(text: string): { address: ProxyAddress } | { problem: string } {
  const url = text.length <= urlCharactersMax ? parseUrl(text) : null
  const scheme = url ? schemes[url.protocol] : undefined
  const host = url ? readHost(url.hostname) : undefined
  if (!url || !scheme || !host) {
    return { problem: 'must be http://, https:// or socks5://, user:password@ if any, host:port' }
  }
  if (url.port === '0') return { problem: 'must have a port from 1 to 65535' }
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
    return { problem: 'must end after the port; a / ? or # before it has to be percent-encoded' }
  }
  const { protocol } = scheme
  const user = readUser(url)
  const problem = user === null ? 'is not percent-encoded as UTF-8' : problemOf(user, protocol)
  if (user === null || problem) return { problem: `has a user or password that ${problem}` }
  const port = url.port === '' ? scheme.port : Number(url.port)
  return { address: { protocol, host, port, user } }
}

/** Normalises a host for the resolver: lower case, an IPv6 address without brackets. */
function readHost(given: string): string | undefined {
  // `URL` normalises the hosts of http and https only.
  const host = parseUrl(`http://${given}`)?.hostname ?? ''
  const [, address] = /^\[(.*)\]$/.exec(host) ?? []
  return address ?? (/^[a-z0-9._-]+$/.test(host) ? host : undefined)
}

/** Returns null where the user cannot be decoded. */
function readUser({ username, password }: URL): ProxyUser | undefined | null {
  if (username === '' && password === '') return undefined
  try {
    return { name: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return null
  }
}

function problemOf(
  user: ProxyUser | undefined,
  protocol: ListedProxy['protocol'],
): string | undefined {
  if (user === undefined) return undefined
  const { name, password } = user
  const isKnown = (placeholder: string) => proxyPlaceholders.some((one) => one === placeholder)
  if (name === '') return 'has no name'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they would end or split a header.
  if (/[\0-\x1f\x7f]/.test(name + password)) return 'has a control character'
  if (protocol !== 'socks5' && name.includes(':')) return 'has a colon in its name'
  if (!(name.match(/\{\w*\}/g) ?? []).every(isKnown)) {
    return `has {…} other than ${proxyPlaceholders.join(' and ')}`
  }
  if (proxyPlaceholders.some((one) => password.includes(one))) {
    return 'has a {…} that is filled in the name only'
  }
  const filled = fillUserName(name, { country: 'xx', session: 'x'.repeat(sessionCharacters) })
  const isTooLong = [filled, password].some((text) => Buffer.byteLength(text) > credentialBytesMax)
  return isTooLong ? `is longer than ${credentialBytesMax} bytes` : undefined
}
