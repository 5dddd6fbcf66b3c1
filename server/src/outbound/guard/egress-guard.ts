/**
 * The way out. Nothing in the service may open a connection that this folder has not judged: targets,
 * redirects, callbacks, webhooks. Refusals say nothing about the address, so that errors cannot be
 * used to look around in a network.
 */
import { isIP } from 'node:net'
import { Failure } from '../../domain/failure.ts'
import { createAddressPolicy, type EgressRules, type Purpose } from './address-policy.ts'
import { isForbiddenPort } from './forbidden-ports.ts'
import { metadataNames } from './metadata-addresses.ts'

export interface EgressGuard {
  /** Refuses with `URL_NOT_ALLOWED` what needs no look into the DNS to be refused. */
  requireAllowedUrl(url: string, purpose: Purpose): void
  isAllowedUrl(url: URL, purpose: Purpose): boolean
  /** The part of it that a connection consists of. */
  isAllowedHost(hostname: string, port: number, purpose: Purpose): boolean
  /** The addresses of a name that may be dialled at this port, in their order. */
  keepAllowed(addresses: readonly string[], port: number, purpose: Purpose): string[]
  /**
   * Whether all of them may be used. For an address of this machine the store is asked once more who listens there: a
   * process accepts callers only after it has recorded its port.
   */
  areAllowedNow(addresses: readonly string[], port: number, purpose: Purpose): Promise<boolean>
}

/** Why something was refused. For counting only: whoever asked is not told. */
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
      // One read is enough for all: it brings every record.
      for (const address of addresses) {
        const refreshing = ownListeners?.refreshFor(address)
        if (!refreshing) continue
        await refreshing
        break
      }
      return keepAllowed(addresses, port, purpose).length === addresses.length
    },
    requireAllowedUrl(text, purpose) {
      // Only the parser that will be used to connect may say what a URL means.
      const url = URL.parse(text)
      if (!passes(url ? refusalOfUrl(url, purpose) : 'not_a_url', purpose)) {
        throw new Failure('URL_NOT_ALLOWED', notAllowedMessage)
      }
    },
    isAllowedUrl: (url, purpose) => passes(refusalOfUrl(url, purpose), purpose),
    isAllowedHost: (hostname, port, purpose) =>
      passes(refusalOfHost(hostname, port, purpose), purpose),
  }

  function keepAllowed(addresses: readonly string[], port: number, purpose: Purpose): string[] {
    const allowed = addresses.filter((address) => isAllowedAddress(address, purpose))
    const kept = allowed.filter((address) => !isOwnListener(address, port))
    if (allowed.length < addresses.length) onBlocked(purpose, 'resolved_address')
    if (kept.length < allowed.length) onBlocked(purpose, 'own_listener')
    return kept
  }

  function passes(refusal: BlockReason | undefined, purpose: Purpose): boolean {
    if (refusal !== undefined) onBlocked(purpose, refusal)
    return refusal === undefined
  }

  function refusalOfUrl(url: URL, purpose: Purpose): BlockReason | undefined {
    const defaultPort = defaultPorts.get(url.protocol)
    if (defaultPort === undefined) return 'scheme'
    if (url.href.length > urlLengthMax) return 'too_long'
    // A password in a callback's URL would end up in logs and lists.
    if (purpose === 'callback' && (url.username !== '' || url.password !== '')) return 'credentials'
    return refusalOfHost(url.hostname, url.port === '' ? defaultPort : Number(url.port), purpose)
  }

  function refusalOfHost(
    hostname: string,
    port: number,
    purpose: Purpose,
  ): BlockReason | undefined {
    if (isForbiddenPort(port)) return 'port'
    const host = bareHost(hostname)
    if (isIP(host) !== 0) return refusalOfAddress(host, port, purpose, 'address')
    if (host === 'localhost') return refusalOfAddress('127.0.0.1', port, purpose, 'name')
    return isUsualName(host) && !isLocalName(host) ? undefined : 'name'
  }

  function refusalOfAddress(
    address: string,
    port: number,
    purpose: Purpose,
    reason: BlockReason,
  ): BlockReason | undefined {
    if (!isAllowedAddress(address, purpose)) return reason
    return isOwnListener(address, port) ? 'own_listener' : undefined
  }
}

/** A URL's host without the brackets of IPv6 and the one dot that ends a complete name. */
export const bareHost = (hostname: string): string =>
  hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()

/**
 * What everybody reads as the same name. A proxy may take `127.0.0.1..` or `0x7f.0x1` for an address,
 * stop at a sign that has no place in a name, or complete a single word by a domain of its own.
 */
const isUsualName = (host: string): boolean =>
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

/** Names that mean something on a private network only. The rule about addresses stands behind this one. */
const isLocalName = (host: string): boolean =>
  localSuffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))
