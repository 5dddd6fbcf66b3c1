import { Failure } from '../../domain/failure.ts'
import type { ProxyRequirements } from '../../domain/proxy/choose-proxy.ts'
import { type EngineRequest, proxyRequirementsOf } from '../../domain/scrape/scrape-request.ts'
import type { ProxyPool } from './proxy-pool.ts'

/**
 * Throws when no configured proxy meets the request. A direct connection is used only when no proxy
 * is configured, none is requested, and the process that accepted the task had none either.
 */
export function requireProxy(
  proxies: Pick<ProxyPool, 'isEmpty' | 'fits'>,
  request: Pick<EngineRequest, 'options' | 'isProxied' | 'proxyType'>,
): void {
  const requirements = proxyRequirementsOf(request)
  const isWanted =
    requirements.country !== null || requirements.type !== null || request.isProxied === true
  if (proxies.isEmpty ? !isWanted : proxies.fits(requirements)) return
  throw noProxy(requirements)
}

/** The message repeats what was requested and does not reveal the operator's proxies. */
function noProxy({ country, type }: ProxyRequirements): Failure {
  const kind = type === null ? 'proxy' : `${type} proxy`
  const place = country === null ? '' : ` for the country ${country}`
  return new Failure(
    'NO_PROXY_AVAILABLE',
    `No ${kind}${place} is configured. Request another country or type, or add one to TRAWL_PROXIES.`,
  )
}
