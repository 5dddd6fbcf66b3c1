import { writeFileSync } from 'node:fs'
import { fillStore } from './backlog.ts'
import { type BenchFact, median } from './bench-row.ts'
import { drawPlot, type Series } from './draw-plot.ts'
import { residentMb } from './memory.ts'
import { apiKey, type Program, type RpcProcess, startRpcProcess, startTrawl } from './program.ts'

const callers = [1, 4, 16, 64, 256]
const storedCounts = [10, 10_000, 1_000_000]
const queuedCounts = [10, 10_000, 100_000]
const burst = { apiKey, pagePath: '/dense-47', warmUpMs: 1_500, ms: 4_000 }
const rounds = 3

/** How rates and memory grow with callers, stored tasks and queued tasks; drawn into the docs. */
export async function measureGrowth(): Promise<BenchFact[]> {
  await using resources = new AsyncDisposableStack()
  const peers = resources.use(startRpcProcess('scrape-peers.ts'))
  const urls = await peers.call<Urls>({ kind: 'urls' })
  const byCallers = [
    await measureCallers(peers, 'realtime', 'realtime'),
    await measureCallers(peers, 'extractions', 'markdown'),
  ]
  const stored = await measureStores(peers, urls, storedCounts, (count) => ({
    stored: count,
    queued: 0,
  }))
  const queued = await measureStores(peers, urls, queuedCounts, (count) => ({
    stored: 0,
    queued: count,
  }))
  draw('callers', 'callers at once', [
    ...byCallers.map(({ name, rates }) => ({ name: `${name}, pages/s`, points: rates })),
    ...byCallers.map(({ name, memory }) => ({ name: `${name}, MB`, points: memory })),
  ])
  draw('tasks', 'tasks in the store', [
    { name: 'stored, callbacks/s', points: stored },
    { name: 'queued, callbacks/s', points: queued },
  ])
  return [
    ...byCallers.flatMap(({ name, rates, memory }) => [
      factOf(`${name}: pages a second`, rates, 'callers at once'),
      factOf(`${name}: resident MB`, memory, 'callers at once'),
    ]),
    factOf('callbacks a second', stored, 'stored tasks'),
    factOf('callbacks a second', queued, 'queued tasks of another account'),
  ]
}

type Urls = Parameters<typeof fillStore>[1]
type Points = Series['points']

async function measureCallers(peers: RpcProcess, kind: string, name: string) {
  const rates: Points = []
  const memory: Points = []
  for (const together of callers) {
    await using stack = new AsyncDisposableStack()
    const service = await startTrawl(stack)
    rates.push([together, await rateOf(peers, service, { kind, together })])
    memory.push([together, residentMb(service)])
  }
  return { name, rates, memory }
}

/** A fresh service for each store, as it works on what is queued as well. */
async function measureStores(
  peers: RpcProcess,
  urls: Urls,
  counts: readonly number[],
  fill: (count: number) => { stored: number; queued: number },
): Promise<Points> {
  const points: Points = []
  for (const count of counts) {
    await using stack = new AsyncDisposableStack()
    const dataDir = await fillStore(stack, urls, fill(count))
    const service = await startTrawl(stack, { TRAWL_DATA_DIR: dataDir })
    points.push([count, await rateOf(peers, service, { kind: 'callbacks', together: 64 })])
  }
  return points
}

async function rateOf(
  peers: RpcProcess,
  { url: serviceUrl }: Program,
  question: { kind: string; together: number },
): Promise<number> {
  const found: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const rates = await peers.call<{ perSecond: number; fetchedPerSecond?: number }>({
      ...burst,
      serviceUrl,
      ...question,
    })
    // With a backlog pages are fetched ahead of being delivered: each is half of the work.
    found.push((rates.perSecond + (rates.fetchedPerSecond ?? rates.perSecond)) / 2)
  }
  return median(found)
}

const factOf = (measure: string, points: Points, of: string): BenchFact => ({
  measure: `${measure} with ${points.map(([count]) => count).join(', ')} ${of}`,
  figure: points.map(([, value]) => Math.round(value)).join(', '),
  wanted: 'no cliff',
})

const draw = (name: string, xTitle: string, series: Series[]) =>
  writeFileSync(
    new URL(`../../docs/images/growth-by-${name}.svg`, import.meta.url),
    drawPlot({ xTitle, series }),
  )
