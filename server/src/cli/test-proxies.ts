import {
  type Command,
  InvalidArgumentError,
  type Printable,
  type PrintFlags,
  printable,
} from '../../../cli/src/index.ts'
import { Failure } from '../domain/failure.ts'
import { fillProxyTemplate, servesAnyCountry } from '../domain/proxy/fill-proxy-template.ts'
import type { ListedProxy, ProxyRoute } from '../domain/proxy/proxy.ts'
import type { ProxyProbe } from '../outbound/upstream-proxy/probe-proxy.ts'
import { newProxySession } from '../tasks/proxies/proxy-pool.ts'

/** Connects to the target through a proxy. Its failure text has no credentials. */
export type ProbeProxy = (route: ProxyRoute, to: ProbeTarget) => Promise<ProxyProbe>

interface ProbeTarget {
  host: string
  port: number
}

export interface TestedProxies {
  proxies: readonly ListedProxy[]
  probe: ProbeProxy
}

interface TestTools {
  load(): Promise<TestedProxies>
  print(rows: Printable, flags: PrintFlags): Promise<void>
}

interface TestFlags extends PrintFlags {
  country?: string | null
  to: ProbeTarget
}

const probeConcurrency = 16
/** A host reserved for examples, on a port that every proxy allows. */
const defaultTarget: ProbeTarget = { host: 'example.com', port: 443 }

export function addTestProxiesCommand(proxies: Command, tools: TestTools): void {
  proxies
    .command('test [labels...]')
    .description('connect through every proxy, or those named; exit code 1 when one fails')
    .option('--country <code>', 'country for proxies that have a placeholder for it', readCountry)
    .option('--to <host:port>', 'target instead of example.com:443', readTarget, defaultTarget)
    .option('--json', 'one JSON document')
    .option('-o, --output <file>', 'write to a file instead of stdout')
    .action(async (labels: string[], { country = null, to, ...flags }: TestFlags) => {
      const { proxies: all, probe } = await tools.load()
      const probeTo = (route: ProxyRoute) => probe(route, to)
      const picked = pickProxies(all, labels)
      const rows = await testAll(picked, (proxy) => testOne(proxy, probeTo, country))
      await tools.print(rows, flags)
      if (rows.some(({ ok }) => !ok)) process.exitCode = 1
    })
}

interface TestRow extends Record<string, unknown> {
  label: string
  ok: boolean
  latency_ms: number | null
  failure: string | null
}

function pickProxies(all: readonly ListedProxy[], labels: readonly string[]): ListedProxy[] {
  const missing = labels.filter((label) => !all.some((proxy) => proxy.label === label))
  if (missing.length > 0) {
    throw new Failure('NOT_FOUND', `No proxy is called ${printable(missing.join(', '))}.`)
  }
  return all.filter(({ label }) => labels.length === 0 || labels.includes(label))
}

/** Tests some at a time and returns the rows in the order of the list. */
async function testAll(
  proxies: readonly ListedProxy[],
  test: (proxy: ListedProxy) => Promise<TestRow>,
): Promise<TestRow[]> {
  const rows: TestRow[] = []
  const remaining = proxies.entries()
  const runWorker = async () => {
    for (const [index, proxy] of remaining) rows[index] = await test(proxy)
  }
  await Promise.all(Array.from({ length: probeConcurrency }, runWorker))
  return rows
}

async function testOne(
  proxy: ListedProxy,
  probe: (route: ProxyRoute) => Promise<ProxyProbe>,
  country: string | null,
): Promise<TestRow> {
  const { label } = proxy
  if (servesAnyCountry(proxy) && (country ?? proxy.country) === null) {
    return { label, ok: false, latency_ms: null, failure: 'It needs a country: --country.' }
  }
  const route = fillProxyTemplate(proxy, { country, session: newProxySession() })
  const probed = await probe(route)
  return probed.ok
    ? { label, ok: true, latency_ms: Math.round(probed.latencyMs), failure: null }
    : { label, ok: false, latency_ms: null, failure: printable(probed.failure) }
}

function readTarget(text: string): ProbeTarget {
  const { hostname = '', port = '', href } = URL.parse(`proxied://${text}`) ?? {}
  if (hostname && port && href === `proxied://${hostname}:${port}`) {
    return { host: hostname, port: Number(port) }
  }
  throw new InvalidArgumentError('It must be host:port, such as example.com:443.')
}

function readCountry(text: string): string {
  if (/^[A-Za-z]{2}$/.test(text)) return text.toUpperCase()
  throw new InvalidArgumentError('It must be a country code of two letters (ISO 3166-1).')
}
