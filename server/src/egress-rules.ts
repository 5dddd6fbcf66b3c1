import { networkInterfaces } from 'node:os'
import type { Config } from './config.ts'
import type { EgressRules } from './outbound/address-policy.ts'
import { isLoopbackHost } from './runtime/ip-block.ts'

/** What the operator lets out, of this machine in particular. */
export const egressRules = ({ http, outbound }: Config): EgressRules => ({
  allow: outbound.egressAllow ?? [],
  mayCallBackToLoopback: outbound.egressAllow === undefined && isLoopbackHost(http.host),
  ownAddresses: Object.values(networkInterfaces()).flatMap(
    (addresses) => addresses?.map(({ address }) => address) ?? [],
  ),
})
