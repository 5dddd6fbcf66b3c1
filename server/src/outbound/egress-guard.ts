/**
 * The way out. Nothing in the service may open a connection that this folder has not judged: targets,
 * redirects, callbacks, webhooks. Refusals say nothing about the address, so that errors cannot be
 * used to look around in a network.
 */
import { isIP } from 'node:net'
import { Failure } from '../domain/failure.ts'
import { createAddressPolicy, type EgressRules, type Purpose } from './address-policy.ts'
import { isForbiddenPort } from './forbidden-ports.ts'
import { metadataNames } from './metadata-addresses.ts'

export interface EgressGuard {
  /** Refuses with `URL_NOT_ALLOWED` what needs no look into the DNS to be refused. */
  requireAllowedUrl(url: string, purpose: Purpose): void
  isAllowedUrl(url: URL, purpose: Purpose): boolean
  /** The part of it that a connection consists of; `port` is empty for the scheme's own. */
  isAllowedHost(hostname: string, port: string, purpose: Purpose): boolean
  /** The addresses of a name that may be dialled, in their order. */
  keepAllowed(addresses: readonly string[], purpose: Purpose): string[]
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

export const notAllowedMessage =
  'This service may not reach that URL; its operator can open private addresses with TRAWL_EGRESS_ALLOW.'

const urlLengthMax = 8192

export function createEgressGuard(
  rules: EgressRules,
  onBlocked: (purpose: Purpose, reason: BlockReason) => void = () => {},
): EgressGuard {
  const isAllowedAddress = createAddressPolicy(rules)

  return {
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
    keepAllowed(addresses, purpose) {
      const kept = addresses.filter((address) => isAllowedAddress(address, purpose))
      if (kept.length < addresses.length) onBlocked(purpose, 'resolved_address')
      return kept
    },
  }

  function passes(refusal: BlockReason | undefined, purpose: Purpose): boolean {
    if (refusal !== undefined) onBlocked(purpose, refusal)
    return refusal === undefined
  }

  function refusalOfUrl(url: URL, purpose: Purpose): BlockReason | undefined {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'scheme'
    if (url.href.length > urlLengthMax) return 'too_long'
    // A password in a callback's URL would end up in logs and lists.
    if (purpose === 'callback' && (url.username !== '' || url.password !== '')) return 'credentials'
    return refusalOfHost(url.hostname, url.port, purpose)
  }

  function refusalOfHost(
    hostname: string,
    port: string,
    purpose: Purpose,
  ): BlockReason | undefined {
    if (isForbiddenPort(port)) return 'port'
    const host = bareHost(hostname)
    if (isIP(host) !== 0) return isAllowedAddress(host, purpose) ? undefined : 'address'
    if (host === 'localhost' && isAllowedAddress('127.0.0.1', purpose)) return undefined
    return isUsualName(host) && !isLocalName(host) ? undefined : 'name'
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
