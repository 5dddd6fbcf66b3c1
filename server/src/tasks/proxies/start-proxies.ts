/** Builds the proxy pool, reloads it when its file changes, and reports its metrics. */
import type { ListedProxy } from '../../domain/proxy/proxy.ts'
import { readProxyList } from '../../domain/proxy/read-proxy-list.ts'
import { startWatchingFile } from '../../runtime/files/watch-file.ts'
import type { Log } from '../../runtime/log.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import type { Capabilities } from '../../wire/service/responses.ts'
import { ProxyOutages } from './proxy-outages.ts'
import { createProxyPool, type ProxyPool, type ProxyStatus } from './proxy-pool.ts'

interface ProxiesParts {
  proxies: readonly ListedProxy[]
  /** Where they were read from, and its text then. */
  file: { path: string; text: string } | undefined
  log: Log
  metrics: Metrics
  nowMs: () => number
  filePollIntervalMs?: number
}

export interface Proxies extends ProxyPool, Disposable {}

const fileBytesMax = 16 * 2 ** 20
/**
 * Limits the cardinality of metrics, as a pool may have 10 000 proxies: uses beyond the first
 * hundred labels are counted together, and gauges show a hundred proxies, those that cool down first.
 */
const labelsMax = 100

export function startProxies(parts: ProxiesParts): Proxies {
  const { proxies, file, log, metrics, nowMs } = parts
  const labelOf = limitLabels()
  const pool = createProxyPool({
    proxies,
    nowMs,
    onReleased: (label, outcome) => metrics.proxyAttempts.inc({ proxy: labelOf(label), outcome }),
    outages: new ProxyOutages({ log, nowMs }),
  })
  reportProxies(metrics, pool)
  const watching = file && startWatching(file, pool, parts)
  return Object.assign(pool, { [Symbol.dispose]: () => watching?.[Symbol.dispose]() })
}

/** Replaces the pool when the file changes. A broken or empty file leaves the pool as it was. */
function startWatching(
  file: { path: string; text: string },
  pool: ProxyPool,
  { log, filePollIntervalMs = 1_000 }: ProxiesParts,
): Disposable {
  let { text: before } = file
  const reject = (problem: string): void =>
    log.warn(
      { file: file.path, problem },
      'TRAWL_PROXIES_FILE is invalid; keeping the old proxies.',
    )
  return startWatchingFile({
    path: file.path,
    bytesMax: fileBytesMax,
    pollIntervalMs: filePollIntervalMs,
    onUnreadable: (reason) => reject(`cannot be read: ${reason}`),
    onText(text) {
      const isTheSame = text.trimEnd() === before.trimEnd()
      before = text
      if (isTheSame) return
      const read = readProxyList(text)
      if ('problem' in read) reject(read.problem)
      else if (read.proxies.length === 0 && !pool.isEmpty) {
        reject('is empty: connections would be direct. Restart the service if you want that.')
      } else {
        pool.replace(read.proxies)
        log.info({ proxies: read.proxies.length }, 'TRAWL_PROXIES_FILE has changed and was loaded.')
      }
    },
  })
}

function limitLabels(): (label: string) => string {
  const labels = new Set<string>()
  return (label) => {
    if (labels.has(label)) return label
    // It cannot be the label of a proxy, because labels have no brackets.
    if (labels.size >= labelsMax) return '(other)'
    labels.add(label)
    return label
  }
}

function reportProxies(metrics: Metrics, pool: ProxyPool): void {
  metrics.readSeries(['type', 'country', 'state'], 'proxies', 'Configured proxies.', () =>
    countByLabels(pool.list()),
  )
  const report = (
    name: string,
    help: string,
    figureOf: (status: ProxyStatus) => number | undefined,
  ) =>
    metrics.readBy('proxy', `proxy_${name}`, `${help}, of ${labelsMax} proxies at most.`, () =>
      worstOf(pool.list()).flatMap((status) => {
        const figure = figureOf(status)
        return figure === undefined ? [] : [[status.label, figure] as const]
      }),
    )
  report('score', 'Health score, 0 to 1', ({ score }) => score)
  report('uses_under_way', 'Attempts in progress', ({ activeUses }) => activeUses)
  report('cooling_down_seconds', 'Remaining cool-down', ({ cooldownMs }) => cooldownMs / 1_000)
  report('latency_seconds', 'Recent latency', ({ latencyMs }) => latencyMs && latencyMs / 1_000)
}

function countByLabels(statuses: ProxyStatus[]) {
  const labelled = statuses.map(({ type, country, servesAnyCountry, cooldownMs }) => ({
    type,
    country: country ?? (servesAnyCountry ? 'any' : 'unknown'),
    state: cooldownMs > 0 ? 'cooling_down' : 'ready',
  }))
  const groups = Map.groupBy(labelled, (labels) => Object.values(labels).join(' '))
  return [...groups.values()].map((alike) => [{ ...alike[0] }, alike.length] as const)
}

const worstOf = (statuses: ProxyStatus[]): ProxyStatus[] =>
  statuses.length <= labelsMax
    ? statuses
    : statuses.sort((one, other) => other.cooldownMs - one.cooldownMs).slice(0, labelsMax)

export function describeProxies(pool: ProxyPool): Capabilities['proxies'] {
  const statuses = pool.list()
  const countOf = (isMeant: (status: ProxyStatus) => boolean) => statuses.filter(isMeant).length
  const countries = new Set(statuses.map(({ country }) => country).filter((one) => one !== null))
  return {
    total: statuses.length,
    residential: countOf(({ type }) => type === 'residential'),
    datacenter: countOf(({ type }) => type === 'datacenter'),
    countries: [...countries].sort(),
    any_country: statuses.some(({ servesAnyCountry }) => servesAnyCountry),
    cooling_down: countOf(({ cooldownMs }) => cooldownMs > 0),
  }
}
