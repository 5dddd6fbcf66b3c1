import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { version } from '../src/runtime/version.ts'
import { measureAccepting } from './accepting.ts'
import { measureBacklog } from './backlog.ts'
import { measureBatch } from './batch.ts'
import type { BenchFact, BenchRow } from './bench-row.ts'
import { measureChoosingProxies } from './choosing-proxies.ts'
import { measureConverting } from './converting.ts'
import { measureCrawls } from './crawls.ts'
import { measureDashboardHeap } from './dashboard-heap.ts'
import { measureDashboardList } from './dashboard-list.ts'
import { measureGrowth } from './growth.ts'
import { measureLatency } from './latency.ts'
import { measureMemory } from './memory.ts'
import { measurePageWork } from './page-work.ts'
import { measureRendering } from './rendering.ts'
import { measureRenderingWear } from './rendering-wear.ts'
import { measureRequests } from './requests.ts'
import { measureScrapes } from './scrapes.ts'
import type { SidesRow } from './sides.ts'
import { measureStarts } from './start-time.ts'
import { measureStoreWrites } from './store-writes.ts'
import { measureWorkerScaling } from './worker-scaling.ts'

/** Measures everything we promise about speed, each with its baseline in the same run. */
type Measured = BenchRow | BenchFact | SidesRow

const parts: Record<string, () => Promise<Measured[]>> = {
  'page-work': measurePageWork,
  store: measureStoreWrites,
  requests: measureRequests,
  'choosing-proxies': measureChoosingProxies,
  accepting: measureAccepting,
  scrapes: measureScrapes,
  batch: measureBatch,
  crawls: measureCrawls,
  converting: measureConverting,
  rendering: measureRendering,
  'rendering-wear': measureRenderingWear,
  'dashboard-list': measureDashboardList,
  'dashboard-heap': measureDashboardHeap,
  latency: measureLatency,
  memory: measureMemory,
  backlog: measureBacklog,
  starts: measureStarts,
  'worker-scaling': measureWorkerScaling,
  growth: measureGrowth,
}

const page = new URL('../../docs/benchmarks.md', import.meta.url)
const wanted = process.argv.slice(2)
const found: Measured[] = []
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.error(`measuring ${name} …`)
  const measured = await measure()
  for (const one of measured) console.error(`  ${JSON.stringify(one)}`)
  found.push(...measured)
}

const rows = found.filter((one) => 'ratio' in one)
const facts = found.filter((one) => 'figure' in one)
const sideRows = found.filter((one) => 'sides' in one)
const report = [
  machineLine(),
  sideRows.length > 0 && sidesTable(sideRows),
  rows.length > 0 && table(rows),
  facts.length > 0 && factTable(facts),
]
  .filter((part) => part !== false)
  .join('\n\n')
console.log(report)
// Only a full run is recorded.
if (wanted.length === 0) writeReport(report)

function machineLine(): string {
  const [cpu] = cpus()
  const day = new Date().toISOString().slice(0, 10)
  const gib = Math.round(totalmem() / 1024 ** 3)
  return `${day}, trawl ${version}, Node ${process.version}, ${process.platform} ${process.arch}, ${availableParallelism()} × ${cpu?.model.trim()}, ${gib} GiB.`
}

function table(measured: BenchRow[]): string {
  const lines = measured.map(
    ({ measure, value, baseline, ratio, baselineName }) =>
      `| ${measure} | ${Math.round(value)}/s | ${baselineName} | ${Math.round(baseline)}/s | ${ratio.toFixed(2)} |`,
  )
  return `| Measure | Value | Baseline in the same run | Baseline | Ratio |\n|---|---|---|---|---|\n${lines.join('\n')}`
}

/** One line for each side: pages a second, processor time a page, and the ratio to the first side. */
function sidesTable(measured: SidesRow[]): string {
  const lines = measured.flatMap(({ measure, wanted, sides }) =>
    sides.map(({ name, perSecond, cpuMs, ratio }, at) => {
      const against = at === 0 ? '1' : ratio.toFixed(2)
      const [first, last] = at === 0 ? [measure, wanted] : ['', '']
      return `| ${first} | ${name} | ${perSecond.toFixed(perSecond < 10 ? 2 : 0)}/s | ${cpuMs.toFixed(2)} ms | ${against} | ${last} |`
    }),
  )
  return `| Work | By | Rate | Processor time each | Ratio | Wanted |\n|---|---|---|---|---|---|\n${lines.join('\n')}`
}

function factTable(measured: BenchFact[]): string {
  const lines = measured.map(
    ({ measure, figure, wanted }) => `| ${measure} | ${figure} | ${wanted} |`,
  )
  return `| Measure | Figure | Wanted |\n|---|---|---|\n${lines.join('\n')}`
}

function writeReport(text: string): void {
  const before = readFileSync(page, 'utf8')
  const after = before.replace(
    /(<!-- measured by npm run bench -->\n)[\s\S]*?(<!-- end -->)/,
    (_, begin: string, end: string) => `${begin}${text}\n${end}`,
  )
  writeFileSync(page, after)
}
