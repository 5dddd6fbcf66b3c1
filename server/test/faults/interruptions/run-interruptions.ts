import type { StoreOutage } from '../outages/run-outages.ts'
import { ServiceProcess } from '../service-process.ts'
import { startDelayedOrigin } from './delayed-origin.ts'
import {
  type Interruption,
  type InterruptionReport,
  killAndStart,
  loseStore,
  runInterruption,
  stopAndStart,
} from './interruption.ts'

type OutageOf = (lastsMs: number) => StoreOutage

/** Undergoes one interruption after the other, each of which is longer than a page has time. */
export async function runInterruptions(options: {
  environment: Record<string, string>
  outageOf: OutageOf
  isLong: boolean
  onReport(report: InterruptionReport): void
}): Promise<InterruptionReport[]> {
  const { environment, interruptions } = options.isLong ? long : short
  await using origin = await startDelayedOrigin()
  await using service = new ServiceProcess({ ...options.environment, ...environment })
  await service.start()
  const reports: InterruptionReport[] = []
  for (const interruption of interruptions(options.outageOf)) {
    const report = await runInterruption({ service, origin }, interruption)
    options.onReport(report)
    reports.push(report)
  }
  return reports
}

interface Form {
  environment: Record<string, string>
  interruptions(outageOf: OutageOf): Interruption[]
}

const long: Form = {
  environment: {},
  interruptions: (outageOf) => [
    ...['1', '1.5', '5'].map((seconds) => ({
      name: `killed, pages of ${seconds} s`,
      pages: { count: 64, ms: Number(seconds) * 1_000, timeoutMs: 60_000 },
      strike: killAndStart,
    })),
    {
      // Longer than a stopping service waits for its pages, shorter than a target may be silent.
      name: 'stopped for 50 s, pages of 28 s',
      pages: { count: 12, ms: 28_000, timeoutMs: 60_000 },
      strike: stopAndStart(50_000),
    },
    {
      name: 'store away for 27 s, pages of 5 s',
      pages: { count: 64, ms: 5_000, timeoutMs: 60_000 },
      realtimeCount: 4,
      strike: loseStore(outageOf(27_000)),
    },
  ],
}

const timeoutMs = 10_000
const awayMs = timeoutMs + 500
const pages = { ms: 1_500, timeoutMs }

const short: Form = {
  environment: { TRAWL_LEASE: '1s' },
  interruptions: (outageOf) => [
    {
      name: 'store away',
      pages: { ...pages, count: 20 },
      realtimeCount: 4,
      strike: loseStore(outageOf(awayMs)),
    },
    { name: 'killed', pages: { ...pages, count: 64 }, strike: killAndStart },
    {
      name: 'stopped',
      // Tried again later: the service would come to the end of pages that are under way.
      pages: { ...pages, count: 12, isRefusedFirst: true },
      strike: stopAndStart(awayMs),
    },
  ],
}
