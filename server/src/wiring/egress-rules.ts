import { networkInterfaces } from 'node:os'
import type { Config } from '../config.ts'
import type { EgressRules } from '../outbound/guard/address-policy.ts'
import { createEgressGuard, type EgressGuard } from '../outbound/guard/egress-guard.ts'
import type { ListeningPorts } from '../outbound/guard/listening-ports.ts'
import { isLoopbackHost } from '../runtime/ip-block.ts'
import type { Metrics } from '../runtime/metrics.ts'

/** What the operator lets out, of this machine in particular. */
export const egressRules = (
  config: Config,
): Pick<EgressRules, 'allow' | 'mayCallBackToLoopback'> => ({
  allow: config.outbound.egressAllow ?? [],
  mayCallBackToLoopback: mayCallToLoopback(config),
})

/**
 * For a first try on a laptop. Any sign that others than its user can call ends it: with a public URL or a proxy in
 * front they do, and a process without the API serves one that may listen anywhere.
 */
const mayCallToLoopback = ({ http, outbound, roles }: Config): boolean =>
  outbound.egressAllow === undefined &&
  isLoopbackHost(http.host) &&
  http.publicUrl === undefined &&
  http.trustProxy.length === 0 &&
  roles.includes('api')

/** The SSRF guard of a service, which also refuses the ports that processes of its store listen on. */
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

/** The addresses of this machine's interfaces. */
export const listOwnAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap(
    (addresses) => addresses?.map(({ address }) => address) ?? [],
  )
