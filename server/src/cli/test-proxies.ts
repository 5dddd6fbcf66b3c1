import { type Command, InvalidArgumentError } from 'commander'
import { Failure } from '../domain/failure.ts'
import { fillProxyTemplate, servesAnyCountry } from '../domain/proxy/fill-proxy-template.ts'
import type { ListedProxy, ProxyRoute } from '../domain/proxy/proxy.ts'
import type { ProxyProbe } from '../outbound/upstream-proxy/probe-proxy.ts'
import { printable } from '../runtime/printable-text.ts'
import { newProxySession } from '../tasks/proxy-session.ts'
import { asTable } from './columns.ts'

/** Tries whether a connection there can be made through a proxy; no credentials in what it says failed. */
export type ProbeProxy = (route: ProxyRoute, to: Place) => Promise<ProxyProbe>

interface Place {
  host: string
  port: number
}

interface TestTools {
  /** Reads the settings. */
  load(): { proxies: readonly ListedProxy[]; probe: ProbeProxy }
  print(text: string): void
}

interface TestFlags {
  country?: string | null
  to: Place
  json?: true
}

const probedAtOnce = 16
/** A name that is there for examples, on the port that every proxy lets through. */
const usualPlace: Place = { host: 'example.com', port: 443 }

export function addTestProxiesCommand(proxies: Command, tools: TestTools): void {
  proxies
    .command('test [labels...]')
    .description('connect through every proxy, or those named; exit code 1 when one fails')
    .option('--country <code>', 'where those are to be that can be anywhere', readCountry)
    .option('--to <host:port>', 'where to, instead of example.com:443', readPlace, usualPlace)
    .option('--json', 'one JSON document')
    .action(async (labels: string[], { country = null, to, json }: TestFlags) => {
      const { proxies: all, probe } = tools.load()
      const probeTo = (route: ProxyRoute) => probe(route, to)
      const picked = pickProxies(all, labels)
      const rows = await testAll(picked, (proxy) => testOne(proxy, probeTo, country))
      tools.print(json ? JSON.stringify(rows, null, 2) : asTable(rows))
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

/** In the order they are listed, however long each takes. */
async function testAll(
  proxies: readonly ListedProxy[],
  test: (proxy: ListedProxy) => Promise<TestRow>,
): Promise<TestRow[]> {
  const rows: TestRow[] = []
  const left = proxies.entries()
  const go = async () => {
    for (const [index, proxy] of left) rows[index] = await test(proxy)
  }
  await Promise.all(Array.from({ length: probedAtOnce }, go))
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

function readPlace(text: string): Place {
  const { hostname = '', port = '', href } = URL.parse(`proxied://${text}`) ?? {}
  if (hostname && port && href === `proxied://${hostname}:${port}`) {
    return { host: hostname, port: Number(port) }
  }
  throw new InvalidArgumentError('A host and a port are needed, as in example.com:443.')
}

function readCountry(text: string): string {
  if (/^[A-Za-z]{2}$/.test(text)) return text.toUpperCase()
  throw new InvalidArgumentError('Two letters are needed, as ISO 3166-1 has them.')
}
