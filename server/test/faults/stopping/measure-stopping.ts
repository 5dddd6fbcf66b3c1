import type { FaultReport, FaultRun } from '../fault-report.ts'
import { factTable, inSeconds, onEmptyStore } from '../fault-stores.ts'
import { runStopping, type StoppingReport } from './run-stopping.ts'

const cases = [
  { name: 'SQLite', kind: 'sqlite', processCount: 1, stops: 50 },
  { name: 'PostgreSQL', kind: 'postgres', processCount: 1, stops: 50 },
  { name: 'PostgreSQL, rolling restart of three', kind: 'postgres', processCount: 3, stops: 30 },
] as const

/** SIGTERM under load, again and again. */
export async function measureStopping(run: FaultRun): Promise<FaultReport> {
  const reports: Record<string, StoppingReport> = {}
  for (const { name, kind, processCount, stops } of cases) {
    reports[name] = await onEmptyStore(kind, (environment) =>
      runStopping({
        environment,
        processCount,
        pauseMs: 25,
        stops: run.isLong ? stops : stops / 10,
        onProgress: (line) => run.say(`${name}: ${line}`),
      }),
    )
  }
  return {
    title: 'Stopping: SIGTERM under load',
    text: `${explanation}\n\n${table(reports)}`,
    isKept: Object.values(reports).every(isKept),
  }
}

const explanation = `Eight callers submit tasks while one service after the other is sent SIGTERM and started again. Six callers ask only services
whose \`/readyz\` was well 100 ms ago, as behind a balancer; two ask on regardless. \`TRAWL_DRAIN_DELAY\` is 1 s, leases last
10 minutes: whatever was left comes back because it was given back. The window is the time from the signal to the next readiness.`

const stopMsMax = 30_000

const isKept = (one: StoppingReport): boolean =>
  one.exitCodes.every((code) => code === 0) &&
  one.slowestStopMs <= stopMsMax &&
  [one.lost, one.unexplained, one.faulty, one.failed, one.politeFailures, one.unannounced].every(
    (found) => found.length === 0,
  )

const table = (reports: Record<string, StoppingReport>): string =>
  factTable(reports, {
    stops: (one) => one.stops,
    'exit codes': (one) => [...new Set(one.exitCodes)].join(', '),
    'slowest stop': (one) => inSeconds(one.slowestStopMs),
    'accepted tasks': (one) => one.accepted,
    lost: (one) => one.lost.length,
    'told twice': (one) => one.unexplained.length,
    'wrong signature, page or id': (one) => one.faulty.length,
    'failed though the origin would have answered': (one) => one.failed.length,
    'failed requests of callers who look at /readyz': (one) => one.politeFailures.length,
    'failed requests of the others outside the window': (one) => one.unannounced.length,
    'refused within it (503 or closed door)': (one) => one.refused,
    'cut off within it': (one) => [one.cutOff.length, ...new Set(one.cutOff)].join(' '),
  })
