import {
  type Command,
  localServer,
  type PrintFlags,
  printResult,
  say,
  withOutputOptions,
  withServerOption,
} from '../../../cli/src/index.ts'
import { loadConfig } from '../config.ts'
import { servesAnyCountry } from '../domain/proxy/fill-proxy-template.ts'
import type { ListedProxy } from '../domain/proxy/proxy.ts'
import { type ProxyReport, type ProxyState, readProxyStates } from './proxy-states.ts'
import { addTestProxiesCommand } from './test-proxies.ts'

interface ListFlags extends PrintFlags {
  server?: string
}

export function addProxiesCommand(program: Command): void {
  const proxies = program.command('proxies').description('show and test the configured proxies')
  withOutputOptions(withServerOption(proxies.command('list').alias('ls')))
    .description('list the proxies without credentials, with their state if a service is running')
    .action(list)
  addTestProxiesCommand(proxies, {
    load: async () => (await import('./tested-proxies.ts')).loadTestedProxies(),
    print: printResult,
  })
}

async function list({ server, ...flags }: ListFlags): Promise<void> {
  const { config } = loadConfig({})
  const origin = server ?? localServer(config.http)
  const found = await readProxyStates(origin)
  const rows = config.outbound.proxies.map((proxy) => toRow(proxy, found?.states.get(proxy.label)))
  await printResult(rows, flags)
  if (!found) say(`No service answers at ${origin}: the states are not known.`)
  else for (const note of notesOn(found, rows)) say(note)
}

function notesOn({ isWorker }: ProxyReport, rows: readonly { state: string | null }[]): string[] {
  const unknown = rows.filter(({ state }) => state === null).length
  return [
    ...(unknown > 0
      ? [`State unknown: ${unknown} of ${rows.length}; a service reports 100 at most.`]
      : []),
    ...(isWorker === false
      ? ['This process runs no tasks; ask a process with the role worker for the states.']
      : []),
  ]
}

function toRow(proxy: ListedProxy, state: ProxyState | undefined) {
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
  if (!servesAnyCountry(proxy)) return proxy.country
  return proxy.country === null ? 'any' : `any, or ${proxy.country}`
}

const stateOf = ({ coolsDownForMs }: ProxyState): string =>
  coolsDownForMs > 0 ? `cooling down, ${Math.ceil(coolsDownForMs / 1_000)} s` : 'ready'
