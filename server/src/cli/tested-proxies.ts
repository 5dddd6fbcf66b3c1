import { loadConfig } from '../config.ts'
import { createEgressGuard } from '../outbound/guard/egress-guard.ts'
import { createGuardedConnect } from '../outbound/guarded-connect.ts'
import { createResolver } from '../outbound/resolver.ts'
import { probeProxy } from '../outbound/upstream-proxy/probe-proxy.ts'
import { egressRules, listOwnAddresses } from '../wiring/egress-rules.ts'
import type { TestedProxies } from './test-proxies.ts'

/** The configured proxies, and how `proxies test` connects through one. */
export function loadTestedProxies(): TestedProxies {
  const { config } = loadConfig({})
  // The same SSRF protection as in the service.
  const ownAddresses = new Set(listOwnAddresses())
  const connect = createGuardedConnect({
    guard: createEgressGuard({ ...egressRules(config), ownAddresses: () => ownAddresses }),
    resolver: createResolver({ servers: config.outbound.dnsServers }),
  })
  return {
    proxies: config.outbound.proxies,
    probe: (route, to) => probeProxy(connect, route, { ...to, deadlineMs: 10_000 }),
  }
}
