import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { withBrowser } from '../test/support/real-browser.ts'
import type { BenchFact } from './bench-row.ts'
import {
  apiKey,
  makeFolder,
  type Program,
  type RpcProcess,
  startRpcProcess,
  startTrawl,
  stopProgram,
} from './program.ts'

/** Longer than a thread waits before it gives memory back. */
const idleMs = 12_000
const restMs = 60_000
const sampleMs = 100

const loads = {
  '20 000 pages in realtime mode': { kind: 'realtime', count: 20_000, together: 16 },
  '5 000 extractions of markdown': { kind: 'extractions', count: 5_000, together: 16 },
  '200 rendered pages': { kind: 'rendered', count: 200, together: 2 },
}

/** Resident memory of the service: at rest, under load, and a minute later; each load comes twice. */
export async function measureMemory(): Promise<BenchFact[]> {
  return [
    await measureIdle('all roles', {}, '≤ 130 MB'),
    await measureIdle('role `api` alone', { TRAWL_ROLES: 'api' }, '≤ 100 MB'),
    ...(await measureLoads()),
  ]
}

/** By the second start, which finds what Node kept of compiled modules. */
async function measureIdle(
  name: string,
  roles: Record<string, string>,
  wanted: string,
): Promise<BenchFact> {
  await using resources = new AsyncDisposableStack()
  const environment = { ...roles, TRAWL_DATA_DIR: await makeFolder(resources) }
  await stopProgram(await startTrawl(resources, environment))
  const service = await startTrawl(resources, environment)
  await pause(idleMs)
  return {
    measure: `resident memory of the idle service, ${name}`,
    figure: `${residentMb(service)} MB`,
    wanted,
  }
}

async function measureLoads(): Promise<BenchFact[]> {
  await using resources = new AsyncDisposableStack()
  const peers = resources.use(startRpcProcess('scrape-peers.ts'))
  const service = await startTrawl(resources, await withBrowser())
  const facts: BenchFact[] = []
  for (const [name, load] of Object.entries(loads)) {
    const times: string[] = []
    for (let time = 1; time <= 2; time += 1) {
      const peakMb = await peakDuring(service, askFor(peers, service, load))
      await pause(restMs)
      times.push(`${peakMb}, ${residentMb(service)}`)
    }
    facts.push({
      measure: `resident memory, peak and a minute later: ${name}; the same again`,
      figure: `${times.join('; ')} MB`,
      wanted: '≤ 350, 220 MB',
    })
  }
  return facts
}

const askFor = (peers: RpcProcess, service: Program, load: object) =>
  peers.call({ ...load, serviceUrl: service.url, apiKey, pagePath: '/dense-47' })

async function peakDuring(service: Program, work: Promise<unknown>): Promise<number> {
  let peakMb = 0
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(service))
  }, sampleMs)
  await work
  clearInterval(timer)
  return peakMb
}

export function residentMb({ child }: Program): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}
