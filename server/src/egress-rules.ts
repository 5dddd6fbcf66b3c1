import { networkInterfaces } from 'node:os'
import type { Config } from './config.ts'
import type { EgressRules } from './outbound/address-policy.ts'
import { isLoopbackHost } from './runtime/ip-block.ts'

/** What the operator lets out, of this machine in particular. */
export const egressRules = (
  config: Config,
): Pick<EgressRules, 'allow' | 'mayCallBackToLoopback'> => ({
  allow: config.outbound.egressAllow ?? [],
  mayCallBackToLoopback: mayCallBackToLoopback(config),
})

/**
 * For a first try on a laptop. Any sign that others than its user can call ends it: with a public URL or a proxy in
 * front they do, and a process without the API serves one that may listen anywhere.
 */
const mayCallBackToLoopback = ({ http, outbound, roles }: Config): boolean =>
  outbound.egressAllow === undefined &&
  isLoopbackHost(http.host) &&
  http.publicUrl === undefined &&
  http.trustProxy.length === 0 &&
  roles.includes('api')

/** The addresses of this machine's interfaces. */
export const listOwnAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap(
    (addresses) => addresses?.map(({ address }) => address) ?? [],
  )
