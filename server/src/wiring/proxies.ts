/** Builds the pool of proxies: from the settings, kept up with its file, told about in figures. */
import type { Config } from '../config.ts'
import { readProxyList } from '../domain/proxy/read-proxy-list.ts'
import type { Capabilities } from '../domain/service/capabilities.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { startWatchingFile } from '../runtime/watch-file.ts'
import { createProxyPool, type ProxyPool, type ProxyStanding } from '../tasks/proxy-pool.ts'

interface ProxiesParts {
  config: Config
  log: Log
  metrics: Metrics
  nowMs: () => number
  fileSeenEveryMs?: number
}

export interface Proxies extends ProxyPool, Disposable {}

const fileBytesMax = 16 * 2 ** 20
/**
 * A pool may have 10 000 entries, and each has several series: beyond the first hundred names uses are
 * counted together, and of more than a hundred proxies the figures are told of those that cool down first.
 */
const namedMax = 100

export function startProxies(parts: ProxiesParts): Proxies {
  const { config, metrics, nowMs } = parts
  const nameOf = limitNames()
  const pool = createProxyPool({
    proxies: config.outbound.proxies,
    nowMs,
    onReleased: (label, outcome) => metrics.proxyAttempts.inc({ proxy: nameOf(label), outcome }),
  })
  tellProxies(metrics, pool)
  const file = config.environment.proxiesFile
  const watching = file && startFollowing(file, pool, parts)
  return Object.assign(pool, { [Symbol.dispose]: () => watching?.[Symbol.dispose]() })
}

/** What is in the file becomes the pool, unless it is broken or nothing: the old pool is the better one. */
function startFollowing(
  file: { path: string; text: string },
  pool: ProxyPool,
  { log, fileSeenEveryMs = 1_000 }: ProxiesParts,
): Disposable {
  let { text: before } = file
  const stay = (problem: string): void =>
    log.warn({ file: file.path, problem }, 'TRAWL_PROXIES_FILE is not good; the proxies stay.')
  return startWatchingFile({
    path: file.path,
    bytesMax: fileBytesMax,
    pollIntervalMs: fileSeenEveryMs,
    onUnreadable: (reason) => stay(`cannot be read: ${reason}`),
    onText(text) {
      const isTheSame = text.trimEnd() === before.trimEnd()
      before = text
      if (isTheSame) return
      const read = readProxyList(text)
      if ('problem' in read) stay(read.problem)
      else if (read.proxies.length === 0 && !pool.isEmpty) {
        stay('is empty: connections would be direct. Start again to have them so.')
      } else {
        pool.replace(read.proxies)
        log.info({ proxies: read.proxies.length }, 'TRAWL_PROXIES_FILE was read again.')
      }
    },
  })
}

function limitNames(): (label: string) => string {
  const named = new Set<string>()
  return (label) => {
    if (named.has(label)) return label
    // No label has brackets.
    if (named.size >= namedMax) return '(other)'
    named.add(label)
    return label
  }
}

function tellProxies(metrics: Metrics, pool: ProxyPool): void {
  metrics.readSeries(['type', 'country', 'state'], 'proxies', 'Proxies that are configured.', () =>
    countAlike(pool.list()),
  )
  const tell = (
    name: string,
    help: string,
    figureOf: (standing: ProxyStanding) => number | undefined,
  ) =>
    metrics.readBy('proxy', `proxy_${name}`, `${help}, of ${namedMax} proxies at most.`, () =>
      worstOf(pool.list()).flatMap((standing) => {
        const figure = figureOf(standing)
        return figure === undefined ? [] : [[standing.label, figure] as const]
      }),
    )
  tell('score', 'What it is worth, 0 to 1', ({ score }) => score)
  tell('uses_under_way', 'Attempts under way', ({ usesUnderWay }) => usesUnderWay)
  tell(
    'cooling_down_seconds',
    'How long it is chosen last',
    ({ coolsDownForMs }) => coolsDownForMs / 1_000,
  )
  tell(
    'latency_seconds',
    'How long it took lately',
    ({ latencyMs }) => latencyMs && latencyMs / 1_000,
  )
}

function countAlike(standings: ProxyStanding[]) {
  const counts = new Map<
    string,
    { labels: Record<'type' | 'country' | 'state', string>; n: number }
  >()
  for (const { type, country, isAnywhere, coolsDownForMs } of standings) {
    const labels = {
      type,
      country: country ?? (isAnywhere ? 'any' : 'unknown'),
      state: coolsDownForMs > 0 ? 'cooling_down' : 'ready',
    }
    const key = Object.values(labels).join(' ')
    const counted = counts.get(key)
    if (counted) counted.n += 1
    else counts.set(key, { labels, n: 1 })
  }
  return [...counts.values()].map(({ labels, n }) => [labels, n] as const)
}

const worstOf = (standings: ProxyStanding[]): ProxyStanding[] =>
  standings.length <= namedMax
    ? standings
    : standings.sort((one, other) => other.coolsDownForMs - one.coolsDownForMs).slice(0, namedMax)

export function describeProxies(pool: ProxyPool): Capabilities['proxies'] {
  const standings = pool.list()
  const countOf = (isMeant: (standing: ProxyStanding) => boolean) =>
    standings.filter(isMeant).length
  const countries = new Set(standings.map(({ country }) => country).filter((one) => one !== null))
  return {
    total: standings.length,
    residential: countOf(({ type }) => type === 'residential'),
    datacenter: countOf(({ type }) => type === 'datacenter'),
    countries: [...countries].sort(),
    any_country: standings.some(({ isAnywhere }) => isAnywhere),
    cooling_down: countOf(({ coolsDownForMs }) => coolsDownForMs > 0),
  }
}
