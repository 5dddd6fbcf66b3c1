import { setTimeout as pause } from 'node:timers/promises'
import { sql } from '../../../src/storage/statement.ts'
import { until } from '../../support/until.ts'
import { checkLedger, type LedgerFindings } from '../ledger/check-ledger.ts'
import { faultEnvironment, openBeside, ServiceProcess } from '../service-process.ts'
import type { FailedCall } from '../world/callers.ts'
import { startWorld, wallClockMs } from '../world/world.ts'

export interface StoppingReport extends LedgerFindings {
  stops: number
  exitCodes: (number | null)[]
  slowestStopMs: number
  accepted: number
  /**
   * Failures of callers who knew from `/readyz` less than the drain delay ago that the service is ready;
   * there must be none. Where the machine is so busy that the answer comes later, nobody could know.
   */
  politeFailures: string[]
  /** Failures of other callers outside the time between a signal and the next readiness. */
  unannounced: string[]
  /** Failures of other callers in that time that were neither our 503 nor a refused connection. */
  cutOff: string[]
  refused: number
}

const drainDelayMs = 1_000

interface Window {
  serviceUrl: string
  fromMs: number
  toMs: number
}

/**
 * Stops one service after the other with SIGTERM under load and starts it again. With several
 * services this is a rolling restart.
 */
export async function runStopping(options: {
  environment: Record<string, string>
  processCount: number
  stops: number
  /** Between two tasks of each of the eight callers. */
  pauseMs: number
  onProgress?(line: string): void
}): Promise<StoppingReport> {
  // Leases outlast the run, so that every task that runs again was released by the shutdown.
  const environment = {
    TRAWL_DRAIN_DELAY: `${drainDelayMs}ms`,
    TRAWL_LEASE: '10m',
    ...options.environment,
  }
  await using world = await startWorld(faultEnvironment.TRAWL_CALLBACK_SECRET)
  await using services = new AsyncDisposableStack()
  const started = Array.from({ length: options.processCount }, () =>
    services.use(new ServiceProcess(environment)),
  )
  for (const service of started) await service.start()
  await world.startCalling({
    serviceUrls: started.map(({ url }) => url),
    apiKey: faultEnvironment.TRAWL_API_KEY,
    politeCount: 6,
    bluntCount: 2,
    pauseMs: options.pauseMs,
    originDelayMs: 150,
  })
  const windows: Window[] = []
  const exitCodes: (number | null)[] = []
  let slowestStopMs = 0
  for (let stop = 0; stop < options.stops; stop += 1) {
    const service = started[stop % started.length] as ServiceProcess
    await pause(500)
    const fromMs = wallClockMs()
    const { exitCode, tookMs } = await service.end('SIGTERM')
    exitCodes.push(exitCode)
    slowestStopMs = Math.max(slowestStopMs, tookMs)
    await service.start()
    windows.push({ serviceUrl: service.url, fromMs, toMs: wallClockMs() })
    if ((stop + 1) % 10 === 0) options.onProgress?.(`stopped ${stop + 1} times`)
  }
  const accepted = await world.stopCalling()
  await using store = await openBeside({ ...faultEnvironment, ...environment })
  const isAtRest = async () => (await store.db.run(sql`select id from queue_entries`)).length === 0
  await until(isAtRest, { withinMs: 120_000 })
  const { entries, arrivals, failedCalls } = await world.books()
  return {
    ...(await checkLedger(store.db, entries, arrivals, { deathsAtMs: [], outagesAtMs: [] })),
    ...judgeFailedCalls(failedCalls, windows),
    stops: options.stops,
    exitCodes,
    slowestStopMs,
    accepted,
  }
}

function judgeFailedCalls(failedCalls: readonly FailedCall[], windows: readonly Window[]) {
  const isAnnounced = ({ serviceUrl, sentAtMs }: FailedCall) =>
    windows.some(
      (one) => one.serviceUrl === serviceUrl && one.fromMs <= sentAtMs && sentAtMs <= one.toMs,
    )
  const isRefusal = ({ outcome }: FailedCall) =>
    outcome === '503 SHUTTING_DOWN' || outcome === 'ECONNREFUSED'
  const blunt = failedCalls.filter(({ isPolite }) => !isPolite)
  const inWindow = blunt.filter(isAnnounced)
  const outcomes = (calls: FailedCall[]) => calls.map(({ outcome }) => outcome)
  return {
    politeFailures: outcomes(
      failedCalls.filter((call) => call.isPolite && call.readinessAgeMs < drainDelayMs),
    ),
    unannounced: outcomes(blunt.filter((call) => !isAnnounced(call))),
    cutOff: outcomes(inWindow.filter((call) => !isRefusal(call))),
    refused: inWindow.filter(isRefusal).length,
  }
}
