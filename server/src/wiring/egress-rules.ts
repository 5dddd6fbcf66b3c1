import { networkInterfaces } from 'node:os'
import type { Config } from '../config.ts'
import type { EgressRules } from '../outbound/guard/address-policy.ts'
import { createEgressGuard, type EgressGuard } from '../outbound/guard/egress-guard.ts'
import type { ListeningPorts } from '../outbound/guard/listening-ports.ts'
import { isLoopbackHost } from '../runtime/ip-block.ts'
import type { Metrics } from '../runtime/metrics.ts'

/** What the operator allows the SSRF guard to reach beyond public addresses. */
export const egressRules = (
  config: Config,
): Pick<EgressRules, 'allow' | 'mayCallBackToLoopback'> => ({
  allow: config.outbound.egressAllow ?? [],
  mayCallBackToLoopback: mayCallToLoopback(config),
})

/**
 * Callbacks to loopback are for a first try on a laptop. They are off once others may call: through
 * a public URL, a proxy in front, or the API process that a process without the role `api` serves.
 */
const mayCallToLoopback = ({ http, outbound, roles }: Config): boolean =>
  outbound.egressAllow === undefined &&
  isLoopbackHost(http.host) &&
  http.publicUrl === undefined &&
  http.trustProxy.length === 0 &&
  roles.includes('api')

/** The SSRF guard, which also refuses the ports that processes of this store listen on. */
export function createGuard(parts: {
  config: Config
  listeningPorts: ListeningPorts
  metrics: Pick<Metrics, 'egressBlocked'>
}): EgressGuard {
  const { config, listeningPorts, metrics } = parts
  const { allow, mayCallBackToLoopback } = egressRules(config)
  const { ownAddresses } = listeningPorts
  return createEgressGuard(
    { allow, mayCallBackToLoopback, ownAddresses, ownListeners: listeningPorts },
    (purpose, reason) => metrics.egressBlocked.inc({ purpose, reason }),
  )
}

export const listOwnAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap(
    (addresses) => addresses?.map(({ address }) => address) ?? [],
  )
