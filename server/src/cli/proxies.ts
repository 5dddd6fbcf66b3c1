import type { Command } from 'commander'
import { loadConfig } from '../config.ts'
import { isAnywhere } from '../domain/fill-proxy-template.ts'
import type { ListedProxy } from '../domain/proxy.ts'
import { egressRules } from '../egress-rules.ts'
import { createEgressGuard } from '../outbound/egress-guard.ts'
import { createGuardedConnect, type GuardedConnect } from '../outbound/guarded-connect.ts'
import { probeProxy } from '../outbound/probe-proxy.ts'
import { createResolver } from '../outbound/resolver.ts'
import { asTable } from './columns.ts'
import { type ProxyState, readProxyStates } from './proxy-states.ts'
import { localServer, withServerOption } from './server-option.ts'
import { addTestProxiesCommand } from './test-proxies.ts'

interface ListFlags {
  server?: string
  json?: true
}

export function addProxiesCommand(program: Command): void {
  const proxies = program.command('proxies').description('the proxies of the settings')
  withServerOption(proxies.command('list'))
    .description('every proxy without its credentials, and how it is where a service answers')
    .option('--json', 'one JSON document')
    .action(list)
  addTestProxiesCommand(proxies, {
    listProxies: () => loadConfig({}).config.outbound.proxies,
    probe: (route, to) => probeProxy(connectAsServiceDoes(), route, { ...to, deadlineMs: 10_000 }),
    print: console.log,
  })
}

function connectAsServiceDoes(): GuardedConnect {
  const { config } = loadConfig({})
  const guard = createEgressGuard(egressRules(config))
  return createGuardedConnect({
    guard,
    resolver: createResolver({ servers: config.outbound.dnsServers }),
  })
}

async function list({ server, json }: ListFlags): Promise<void> {
  const { config } = loadConfig({})
  const origin = server ?? localServer(config)
  const states = await readProxyStates(origin)
  if (!states) console.error(`No service answers at ${origin}: how they are is not known.`)
  const rows = config.outbound.proxies.map((proxy) => toRow(proxy, states?.get(proxy.label)))
  console.log(json ? JSON.stringify(rows, null, 2) : asTable(rows))
}

function toRow(proxy: ListedProxy, state: ProxyState | undefined): Record<string, unknown> {
  const { label, type, protocol, host, port } = proxy
  return {
    label,
    type,
    country: countryOf(proxy),
    protocol,
    address: `${host.includes(':') ? `[${host}]` : host}:${port}`,
    state: state ? stateOf(state) : null,
    score: state?.score ?? null,
    latency_ms: state?.latencyMs ?? null,
  }
}

function countryOf(proxy: ListedProxy): string | null {
  if (!isAnywhere(proxy)) return proxy.country
  return proxy.country === null ? 'any' : `any, or ${proxy.country}`
}

const stateOf = ({ coolsDownForMs }: ProxyState): string =>
  coolsDownForMs > 0 ? `cooling down, ${Math.ceil(coolsDownForMs / 1_000)} s` : 'ready'
