import { chooseProxy, type ProxyCandidate, type ProxyWish } from '../src/domain/choose-proxy.ts'
import { afterOutcome, unknownHealth } from '../src/domain/proxy-health.ts'
import type { BenchFact } from './bench-row.ts'

const proxyCount = 1_000
const countries = ['DE', 'US', 'FR', 'JP', 'BR']
const nowMs = 1_000_000
const warmUpChoices = 20_000
const measuredChoices = 20_000

/** What it takes to choose from a large pool, where all fit, where some do, and at a retry. */
export async function measureChoosingProxies(): Promise<BenchFact[]> {
  const candidates = Array.from({ length: proxyCount }, (_, index) => createCandidate(index))
  const anything: ProxyWish = { country: null, isResidentialOnly: false }
  const orders: [what: string, wish: ProxyWish, tried: ProxyCandidate[]][] = [
    ['all fit', anything, []],
    ['one in ten fits', { country: 'FR', isResidentialOnly: true }, []],
    ['all fit, the third try', anything, candidates.slice(500, 502)],
  ]
  // Of all kinds in turn first: what is warm for one kind only is faster than it ever is in use.
  for (let choice = 0; choice < warmUpChoices; choice++) {
    for (const [, wish, tried] of orders) choose(candidates, wish, tried, choice)
  }
  return orders.map(([what, wish, tried]) => {
    const before = process.threadCpuUsage()
    for (let choice = 0; choice < measuredChoices; choice++) {
      choose(candidates, wish, tried, warmUpChoices + choice)
    }
    const used = process.threadCpuUsage(before)
    const microseconds = (used.user + used.system) / measuredChoices
    return {
      measure: `a proxy chosen from ${proxyCount}, ${what}: mean time of the processor`,
      figure: `${microseconds.toFixed(1)} µs`,
      wanted: '≤ 50 µs',
    }
  })
}

/** Chosen and used, as the pool does it: the next choice is another one. */
function choose(
  candidates: ProxyCandidate[],
  wish: ProxyWish,
  tried: ProxyCandidate[],
  turn: number,
): void {
  const chosen = chooseProxy(candidates, wish, { tried, nowMs: nowMs + turn })
  if (!chosen) throw new Error('None was chosen.')
  chosen.lastTurn = turn
  const outcome = { kind: 'carried', latencyMs: 200 + (turn % 2_000) } as const
  const atMs = nowMs + turn
  chosen.health = afterOutcome(chosen.health, outcome, { begunAtMs: atMs, nowMs: atMs })
}

function createCandidate(index: number): ProxyCandidate {
  const refused = { kind: 'refused' } as const
  return {
    proxy: {
      label: `proxy-${index}`,
      type: index % 2 === 0 ? 'residential' : 'datacenter',
      country: countries[index % countries.length] ?? null,
      protocol: 'http',
      host: 'proxy.test',
      port: 1 + index,
      user: { name: 'ada', password: 'secret' },
    },
    isAnywhere: false,
    health:
      index % 20 === 0
        ? afterOutcome(unknownHealth, refused, { begunAtMs: nowMs, nowMs })
        : unknownHealth,
    usesUnderWay: index % 3,
    lastTurn: -index,
  }
}
