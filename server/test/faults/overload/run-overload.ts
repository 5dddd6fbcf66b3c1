import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type RpcProcess, startRpcProcess } from '../../../bench/program.ts'
import { serviceEnvironment } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'
import { watchMemory } from '../callers/run-caller.ts'
import { KillableService } from '../ledger/killable-service.ts'
import type { LoadAnswer } from './overload-load.ts'

export interface OverloadOptions {
  place: { url?: string | undefined; dataDir: string }
  peakMs: number
  overloadMs: number
  /** The queue limit in seconds of work. */
  queueSeconds: number
  say?: ((line: string) => void) | undefined
}

export interface OverloadReport extends Omit<LoadAnswer, 'acceptedPaths'> {
  peakPerSecond: number
  offeredPerSecond: number
  queueMax: number
  goodputPerSecond: number
  /** Goodput as a share of the peak. */
  goodputShare: number
  /** Deliveries per second of the service's own CPU time, so that other load does not count. */
  perProcessorSecond: { atPeak: number; overloaded: number }
  accepted: number
  lost: string[]
  /** From the last submission until new work is accepted and nothing waits. */
  backToNormalMs: number
  residentBytes: { before: number; highest: number }
}

const apiKey = 'the-key-of-the-overload'
const overloadFactor = 5
const peersFile = fileURLToPath(new URL('./overload-peers.ts', import.meta.url))
const loadFile = fileURLToPath(new URL('./overload-load.ts', import.meta.url))

/** Measures the capacity of the service, offers five times as much and checks the outcome. */
export async function runOverload(options: OverloadOptions): Promise<OverloadReport> {
  await using resources = new AsyncDisposableStack()
  const peers = resources.use(startRpcProcess(peersFile))
  const load = resources.use(startRpcProcess(loadFile))
  const urls = await peers.call<{ originUrl: string; receiverUrls: string[] }>({ kind: 'urls' })
  const environment = {
    ...serviceEnvironment(options.place),
    TRAWL_API_KEY: apiKey,
    TRAWL_EGRESS_ALLOW: '127.0.0.0/8',
  }
  const peak = await measurePeak(environment, peers, options.peakMs)
  const peakPerSecond = peak.perSecond
  const queueMax = Math.max(64, Math.round(options.queueSeconds * peakPerSecond))
  options.say?.(`peak ${peakPerSecond.toFixed(0)}/s; ${queueMax} may wait`)
  const bounded = { ...environment, TRAWL_QUEUE_MAX: String(queueMax) }
  const service = resources.use(new KillableService(bounded))
  await service.start()

  const memory = await watchMemory(service.url)
  const before = await peers.call<{ arrivals: number }>({ kind: 'arrivals' })
  const usedBefore = await processorSeconds(service.url)
  const offeredPerSecond = overloadFactor * peakPerSecond
  const { acceptedPaths, ...answers } = await load.call<LoadAnswer>({
    ...urls,
    serviceUrl: service.url,
    apiKey,
    perSecond: offeredPerSecond,
    ms: options.overloadMs,
  })
  const { arrivals } = await peers.call<{ arrivals: number }>({ kind: 'arrivals' })
  const usedSeconds = (await processorSeconds(service.url)) - usedBefore
  const goodputPerSecond = ((arrivals - before.arrivals) * 1_000) / options.overloadMs
  options.say?.(`goodput ${goodputPerSecond.toFixed(0)}/s; ${JSON.stringify(answers.byStatus)}`)
  const backToNormalMs = await untilNormal(service.url)
  const { missing } = await untilArrived(peers, acceptedPaths)
  return {
    ...answers,
    peakPerSecond,
    offeredPerSecond,
    queueMax,
    goodputPerSecond,
    goodputShare: goodputPerSecond / peakPerSecond,
    perProcessorSecond: {
      atPeak: peak.perProcessorSecond,
      overloaded: (arrivals - before.arrivals) / usedSeconds,
    },
    accepted: acceptedPaths.length,
    lost: missing,
    backToNormalMs,
    residentBytes: await memory.stop(),
  }
}

async function measurePeak(
  environment: Record<string, string>,
  peers: RpcProcess,
  ms: number,
): Promise<{ perSecond: number; perProcessorSecond: number }> {
  await using service = new KillableService(environment)
  await service.start()
  const countArrivals = async () =>
    (await peers.call<{ arrivals: number }>({ kind: 'arrivals' })).arrivals
  const [usedBefore, arrivedBefore] = [await processorSeconds(service.url), await countArrivals()]
  const question = { kind: 'peak', serviceUrl: service.url, apiKey, ms }
  const { perSecond } = await peers.call<{ perSecond: number }>(question)
  const usedSeconds = (await processorSeconds(service.url)) - usedBefore
  const arrived = (await countArrivals()) - arrivedBefore
  return { perSecond, perProcessorSecond: arrived / usedSeconds }
}

async function processorSeconds(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const [, seconds] = /^trawl_process_cpu_seconds_total ([\d.]+)/m.exec(text) ?? []
  return Number(seconds)
}

async function untilNormal(url: string): Promise<number> {
  const startedAtMs = performance.now()
  await until(
    async () => {
      const { accepting, queue } = (await (await fetch(`${url}/pressure`)).json()) as Pressure
      const waiting = Object.values(queue.lanes).reduce((sum, lane) => sum + lane.waiting, 0)
      return accepting && waiting === 0
    },
    { withinMs: 300_000 },
  )
  return Math.round(performance.now() - startedAtMs)
}

/** What was sent last may still be under way when nothing waits any more. */
async function untilArrived(peers: RpcProcess, paths: string[]): Promise<{ missing: string[] }> {
  for (let tries = 0; ; tries += 1) {
    const answer = await peers.call<{ missing: string[] }>({ kind: 'missing', paths })
    if (answer.missing.length === 0 || tries === 30) return answer
    await pause(1_000)
  }
}

interface Pressure {
  accepting: boolean
  queue: { lanes: Record<string, { waiting: number }> }
}
