import { getPublicSuffix, parse } from 'tldts'

/** The host of a URL as sites are compared: without the dot that ends a full name and without `www.`. */
export function siteHost({ hostname }: URL): string {
  const host = hostname.replace(/\.$/, '')
  if (!host.startsWith('www.')) return host
  const bare = host.slice('www.'.length)
  // `www.com` is a domain of its own; without `www.` it would stand for all of `.com`.
  return isPublicSuffix(bare) ? host : bare
}

/** The port of a URL as sites are compared: http and https are alike, so their default ports are too. */
export function sitePort({ port }: URL): string {
  return port === '80' || port === '443' ? '' : port
}

/** Whether `host` is `domain` or lies below it. Addresses have nothing below them. */
export const isWithinDomain = (host: string, domain: string): boolean =>
  host === domain || (host.endsWith(`.${domain}`) && !isPublicSuffix(domain))

/**
 * The domain that was registered, such as `shop.co.uk` for `www.docs.shop.co.uk`. Hosts whose owner
 * gives names to others (`github.io`) count as suffixes. Where nothing can be registered, as for an
 * address or `localhost`, it is the host itself.
 */
export const registrableDomain = (host: string): string => parse(host, hostsOnly).domain ?? host

export const isAddress = (host: string): boolean => parse(host, hostsOnly).isIp === true

const hostsOnly = { extractHostname: false, allowPrivateDomains: true }

/** Whether others register names below it. Unlisted names, such as `localhost`, are nobody's. */
function isPublicSuffix(host: string): boolean {
  if (getPublicSuffix(host, hostsOnly) !== host) return false
  const { isIcann, isPrivate } = parse(host, hostsOnly)
  return isIcann === true || isPrivate === true
}
