import type { Command } from 'commander'
import { loadConfig } from '../config.ts'
import { isAnywhere } from '../domain/fill-proxy-template.ts'
import type { ListedProxy } from '../domain/proxy.ts'
import { asTable } from './columns.ts'
import { type ProxyState, readProxyStates } from './proxy-states.ts'
import { localServer, withServerOption } from './server-option.ts'

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
