/**
 * Protection from SSRF. The service opens no connection that this folder has not checked: targets, redirects,
 * callbacks, webhooks. Refusals say nothing about the address, so that errors cannot be used to scan a network.
 */

import { isIP } from 'node:net'
import { Failure } from '../../domain/failure.ts'
import { parseUrl } from '../../domain/parse-url.ts'
import { createAddressPolicy, type EgressRules, type Purpose } from './address-policy.ts'
import { metadataNames } from './metadata-addresses.ts'

export interface EgressGuard {
  /** Throws `URL_NOT_ALLOWED` for a URL that can be refused without a DNS lookup. */
  requireAllowedUrl(url: string, purpose: Purpose): void
  /** What is said to the caller about a URL that is refused; undefined if it is allowed. */
  refusalOfUrl(url: URL, purpose: Purpose): string | undefined
  /** The same check for a host and a port. */
  refusalOfHost(hostname: string, port: number, purpose: Purpose): string | undefined
  /** Returns the addresses that may be dialled at this port, in their order. */
  keepAllowed(addresses: readonly string[], port: number, purpose: Purpose): string[]
  /**
   * Whether all addresses are allowed. For an address of this machine it first reads the listening ports from the
   * store: a process accepts connections only after it has recorded its port.
   */
  areAllowedNow(addresses: readonly string[], port: number, purpose: Purpose): Promise<boolean>
}

/** Why something was refused, for metrics. The caller learns it only where it can be seen in the URL. */
export type BlockReason =
  | 'not_a_url'
  | 'too_long'
  | 'scheme'
  | 'port'
  | 'credentials'
  | 'name'
  | 'address'
  | 'resolved_address'
  | 'own_listener'

export const notAllowedMessage =
  'This service may not reach that URL; its operator can open private addresses with TRAWL_EGRESS_ALLOW.'

const urlLengthMax = 8192

const messageOf = {
  not_a_url: 'This is not a URL.',
  too_long: `This URL has more than ${urlLengthMax} characters.`,
  scheme: 'This service reaches http and https URLs only.',
  port: 'This service never reaches that port: use 80, 443 or one above 1023 that no other protocol has.',
  credentials: 'A callback URL may not have a user name or password, as logs and lists show it.',
  name: notAllowedMessage,
  address: notAllowedMessage,
  resolved_address: notAllowedMessage,
  own_listener: notAllowedMessage,
} as const satisfies Record<BlockReason, string>

const defaultPorts = new Map([
  ['http:', 80],
  ['https:', 443],
])

export function createEgressGuard(
  rules: EgressRules,
  onBlocked: (purpose: Purpose, reason: BlockReason) => void = () => {},
): EgressGuard {
  const isAllowedAddress = createAddressPolicy(rules)
  const { ownListeners } = rules
  const isOwnListener = ownListeners?.isOwn ?? (() => false)

  return {
    keepAllowed,
    async areAllowedNow(addresses, port, purpose) {
      // One read is enough: it returns the listeners of all addresses.
      for (const address of addresses) {
        const refreshing = ownListeners?.refreshFor(address)
        if (!refreshing) continue
        await refreshing
        break
      }
      return keepAllowed(addresses, port, purpose).length === addresses.length
    },
    requireAllowedUrl(text, purpose) {
      // The same parser reads the URL here and for connecting, so that both see the same host.
      const url = parseUrl(text)
      const refusal = report(url ? reasonOfUrl(url, purpose) : 'not_a_url', purpose)
      if (refusal !== undefined) throw new Failure('URL_NOT_ALLOWED', refusal)
    },
    refusalOfUrl: (url, purpose) => report(reasonOfUrl(url, purpose), purpose),
    refusalOfHost: (hostname, port, purpose) =>
      report(reasonOfHost(hostname, port, purpose), purpose),
  }

  function keepAllowed(addresses: readonly string[], port: number, purpose: Purpose): string[] {
    const allowed = addresses.filter((address) => isAllowedAddress(address, purpose))
    const kept = allowed.filter((address) => !isOwnListener(address, port))
    if (allowed.length < addresses.length) onBlocked(purpose, 'resolved_address')
    if (kept.length < allowed.length) onBlocked(purpose, 'own_listener')
    return kept
  }

  function report(reason: BlockReason | undefined, purpose: Purpose): string | undefined {
    if (reason === undefined) return undefined
    onBlocked(purpose, reason)
    return messageOf[reason]
  }

  function reasonOfUrl(url: URL, purpose: Purpose): BlockReason | undefined {
    const defaultPort = defaultPorts.get(url.protocol)
    if (defaultPort === undefined) return 'scheme'
    if (url.href.length > urlLengthMax) return 'too_long'
    // A password in a callback URL would show up in logs and lists.
    if (purpose === 'callback' && (url.username !== '' || url.password !== '')) return 'credentials'
    return reasonOfHost(url.hostname, url.port === '' ? defaultPort : Number(url.port), purpose)
  }

  function reasonOfHost(hostname: string, port: number, purpose: Purpose): BlockReason | undefined {
    if (isForbiddenPort(port)) return 'port'
    const host = bareHost(hostname)
    if (isIP(host) !== 0) return reasonOfAddress(host, port, purpose, 'address')
    if (host === 'localhost') return reasonOfAddress('127.0.0.1', port, purpose, 'name')
    return isUnambiguousName(host) && !isLocalName(host) ? undefined : 'name'
  }

  function reasonOfAddress(
    address: string,
    port: number,
    purpose: Purpose,
    reason: BlockReason,
  ): BlockReason | undefined {
    if (!isAllowedAddress(address, purpose)) return reason
    return isOwnListener(address, port) ? 'own_listener' : undefined
  }
}

/** A URL's host without the brackets of IPv6 and without one trailing dot. */
export const bareHost = (hostname: string): string =>
  hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()

/**
 * Whether every parser reads the same name. A proxy may take `127.0.0.1..` or `0x7f.0x1` for an address,
 * stop at a character that names cannot have, or append its own search domain to a single label.
 */
const isUnambiguousName = (host: string): boolean =>
  host.length <= 253 &&
  /^(?:[a-z\d_-]{1,63}\.)+[a-z\d_-]{1,63}$/.test(host) &&
  !/\.(?:\d+|0x[\da-f]*)$/.test(host)

const localSuffixes = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'lan',
  'home.arpa',
  'onion',
  'svc',
  'cluster.local',
  ...metadataNames,
]

/** Names that exist on private networks only. The addresses of all other names are checked as well. */
const isLocalName = (host: string): boolean =>
  localSuffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))

/** Ports that the fetch standard blocks above 1023: other protocols that HTTP could be smuggled into. */
const blocked = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10_080,
])

/** Below 1024 only HTTP and HTTPS are allowed. */
const isForbiddenPort = (port: number): boolean =>
  port < 1024 ? port !== 80 && port !== 443 : blocked.has(port)
