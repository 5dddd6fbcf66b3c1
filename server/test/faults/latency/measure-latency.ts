import { startPostgres } from '../../support/postgres-server.ts'
import type { FaultReport, FaultRun } from '../fault-report.ts'
import { type LatencyReport, runLatency } from './run-latency.ts'

const promised = { p50Ms: 100, p99Ms: 1_000, addedShare: 0.1, addedMs: 20 }
const perSecond = 20

/** Figure A17: how soon a callback is sent, also while another account's receivers hang. */
export async function measureLatency(run: FaultRun): Promise<FaultReport> {
  await using server = await startPostgres()
  const options = { rounds: run.isLong ? 7 : 1, ms: 20_000, perSecond }
  const sqlite = await runLatency(options)
  run.say('SQLite is through')
  const postgres = await runLatency({ ...options, databaseUrl: server.url })
  const reports = { SQLite: sqlite, PostgreSQL: postgres }
  return {
    title: 'From a result to its callback',
    text: `${explanation}\n\n${table(reports)}`,
    isKept: Object.values(reports).every(isKept),
  }
}

const explanation = `Two accounts with ${perSecond} tasks a second and eight receivers each. For 20 s all receivers answer, then for 20 s half of the first
account's are silent, 15 s a time, and so on in turn; told is the middle round. Measured is the other account: from a task's end (its commit included) to its callback being
sent, by the store's own times. Promised: p50 within ${promised.p50Ms} ms, p99 within ${promised.p99Ms} ms, and silence adds no more than ${promised.addedShare * 100} % to p99 (or
${promised.addedMs} ms, which are one busy moment of the machine).`

const isKept = ({ calm, beside, failedCount }: LatencyReport): boolean =>
  failedCount === 0 &&
  calm.p50Ms <= promised.p50Ms &&
  calm.p99Ms <= promised.p99Ms &&
  beside.p99Ms <= Math.max(calm.p99Ms * (1 + promised.addedShare), calm.p99Ms + promised.addedMs)

function table(reports: Record<string, LatencyReport>): string {
  const columns = Object.values(reports)
  const row = (name: string, value: (report: LatencyReport) => unknown) =>
    `| ${name} | ${columns.map(value).join(' | ')} |`
  return [
    `| | ${Object.keys(reports).join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    row('callbacks of the neighbour, each phase', ({ calm }) => calm.count),
    row('all answer: p50 / p99', ({ calm }) => `${calm.p50Ms} / ${calm.p99Ms} ms`),
    row('half are silent: p50 / p99', ({ beside }) => `${beside.p50Ms} / ${beside.p99Ms} ms`),
    row('callbacks into silence', ({ hungCount }) => hungCount),
    row('callbacks of the neighbour that failed', ({ failedCount }) => failedCount),
  ].join('\n')
}
