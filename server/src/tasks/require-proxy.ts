import { Failure } from '../domain/failure.ts'
import type { ProxyRequirements } from '../domain/proxy/choose-proxy.ts'
import { proxyRequirementsOf, type ScrapeRequest } from '../domain/scrape/scrape-request.ts'
import type { ProxyPool } from './proxy-pool.ts'

/**
 * Refuses what no proxy is there for. None is used only where there is none at all, none is asked for,
 * and whoever accepted the task had none either.
 */
export function requireProxy(
  proxies: Pick<ProxyPool, 'isEmpty' | 'fits'>,
  { options, isProxied }: Pick<ScrapeRequest, 'options' | 'isProxied'>,
): void {
  const wish = proxyRequirementsOf(options)
  const isWanted = wish.country !== null || wish.isResidentialOnly || isProxied === true
  if (proxies.isEmpty ? !isWanted : proxies.fits(wish)) return
  throw noProxy(wish)
}

/** Says what was asked for, and nothing about what there is. */
function noProxy({ country, isResidentialOnly }: ProxyRequirements): Failure {
  const kind = isResidentialOnly ? 'residential proxy' : 'proxy'
  const place = country === null ? '' : ` for the country ${country}`
  return new Failure(
    'NO_PROXY_AVAILABLE',
    `No ${kind}${place} is configured. Ask for another country or type, or have TRAWL_PROXIES name one.`,
  )
}
