import type { ProxyRequirements } from '../src/domain/proxy/choose-proxy.ts'
import type { ListedProxy } from '../src/domain/proxy/proxy.ts'
import { createProxyPool, type ProxyPool } from '../src/tasks/proxies/proxy-pool.ts'
import type { BenchFact } from './bench-row.ts'

const accountId = 'acc_1'
const proxyCount = 1_000
const countries = ['DE', 'US', 'FR', 'JP', 'BR']
const warmUpChoices = 20_000
const measuredChoices = 20_000

/** The time to choose from a large proxy pool: if all match, if some do, and for retries. */
export async function measureChoosingProxies(): Promise<BenchFact[]> {
  const clock = { nowMs: 1_000_000 }
  const proxies = Array.from({ length: proxyCount }, (_, index) => listProxy(index))
  const pool = createProxyPool({ proxies, nowMs: () => clock.nowMs++ })
  for (const { label } of proxies.filter((_, index) => index % 20 === 0)) {
    pool.blame(accountId, { proxy: label, startedAtMs: clock.nowMs })
  }
  const anything: ProxyRequirements = { country: null, type: null }
  const labels = proxies.map(({ label }) => label)
  const orders: [what: string, wish: ProxyRequirements, tried: string[]][] = [
    ['all fit', anything, []],
    ['one in ten fits', { country: 'FR', type: 'residential' }, []],
    ['all fit, the third try', anything, labels.slice(500, 502)],
    ['all fit, the eleventh try', anything, labels.slice(500, 510)],
  ]
  // Warms up with all kinds in turn: code warmed up for one kind is faster than in real use.
  for (let choice = 0; choice < warmUpChoices; choice++) {
    for (const [, wish, tried] of orders) useOnce(pool, wish, tried, choice)
  }
  return orders.map(([what, wish, tried]) => {
    const before = process.threadCpuUsage()
    for (let choice = 0; choice < measuredChoices; choice++) useOnce(pool, wish, tried, choice)
    const used = process.threadCpuUsage(before)
    const microseconds = (used.user + used.system) / measuredChoices
    return {
      measure: `a proxy chosen from ${proxyCount} and given back, ${what}: mean time of the processor`,
      figure: `${microseconds.toFixed(1)} µs`,
      wanted: '≤ 50 µs',
    }
  })
}

function useOnce(pool: ProxyPool, wish: ProxyRequirements, tried: string[], choice: number): void {
  const use = pool.choose({ accountId, requirements: wish, tried })
  if (!use) throw new Error('None was chosen.')
  use.release({ kind: 'carried', latencyMs: 200 + (choice % 2_000) })
}

const listProxy = (index: number): ListedProxy => ({
  label: `proxy-${index}`,
  type: index % 2 === 0 ? 'residential' : 'datacenter',
  country: countries[index % countries.length] ?? null,
  protocol: 'http',
  host: 'proxy.test',
  port: 1 + index,
  user: { name: 'ada-{session}', password: 'secret' },
})
