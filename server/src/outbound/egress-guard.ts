/**
 * The way out. Nothing in the service may open a connection that this folder has not judged: targets,
 * redirects, callbacks, webhooks. Refusals say nothing about the address, so that errors cannot be
 * used to look around in a network.
 */
import { isIP } from 'node:net'
import { Failure } from '../domain/failure.ts'
import { createAddressPolicy, type EgressRules, type Purpose } from './address-policy.ts'
import { isForbiddenPort } from './forbidden-ports.ts'

export interface EgressGuard {
  /** Refuses with `URL_NOT_ALLOWED` what needs no look into the DNS to be refused. */
  requireAllowedUrl(url: string, purpose: Purpose): void
}

export function createEgressGuard(rules: EgressRules): EgressGuard {
  const isAllowedAddress = createAddressPolicy(rules)

  return {
    requireAllowedUrl(text, purpose) {
      // Only the parser that will be used to connect may say what a URL means.
      const url = URL.parse(text)
      if (!url || !isAllowed(url, purpose)) {
        throw new Failure('URL_NOT_ALLOWED', 'This service may not reach that URL.')
      }
    },
  }

  function isAllowed(url: URL, purpose: Purpose): boolean {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return false
    if (isForbiddenPort(url.port)) return false
    // A password in a callback's URL would end up in logs and lists.
    if (purpose === 'callback' && (url.username !== '' || url.password !== '')) return false
    const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
    if (isIP(host) !== 0) return isAllowedAddress(host, purpose)
    if (host === 'localhost' && isAllowedAddress('127.0.0.1', purpose)) return true
    return !isLocalName(host)
  }
}

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
  'metadata.tencentyun.com',
]

/** Names that mean something on a private network only. The rule about addresses stands behind this one. */
const isLocalName = (host: string): boolean =>
  !host.includes('.') ||
  /\.\d+$/.test(host) ||
  localSuffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))
