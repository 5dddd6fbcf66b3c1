import type { ProxyWish } from '../domain/choose-proxy.ts'
import { Failure } from '../domain/failure.ts'
import type { ProxyPool } from './proxy-pool.ts'

/** Refuses what no proxy is there for; only where there is none at all, and none is asked for, none is used. */
export function requireProxy(proxies: Pick<ProxyPool, 'isEmpty' | 'fits'>, wish: ProxyWish): void {
  const { country, isResidentialOnly } = wish
  if (proxies.isEmpty ? country === null && !isResidentialOnly : proxies.fits(wish)) return
  throw noProxy(wish)
}

/** Says what was asked for, and nothing about what there is. */
function noProxy({ country, isResidentialOnly }: ProxyWish): Failure {
  const kind = isResidentialOnly ? 'residential proxy' : 'proxy'
  const place = country === null ? '' : ` for the country ${country}`
  return new Failure(
    'NO_PROXY_AVAILABLE',
    `No ${kind}${place} is configured. Ask for another country or type, or have TRAWL_PROXIES name one.`,
  )
}
