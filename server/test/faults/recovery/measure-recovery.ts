import type { FaultReport, FaultRun } from '../fault-report.ts'
import { factTable, inSeconds, onEmptyStore } from '../fault-stores.ts'
import { type RecoveryReport, runRecovery } from './run-recovery.ts'

/** A kill beside a long queue: how soon the next process is ready and the orphans are requeued. */
export async function measureRecovery(run: FaultRun): Promise<FaultReport> {
  const queued = run.isLong ? 100_000 : 10_000
  const measure = (kind: 'sqlite' | 'postgres') =>
    onEmptyStore(kind, (environment) => runRecovery({ environment, queued }))
  const reports = { SQLite: await measure('sqlite'), PostgreSQL: await measure('postgres') }
  return {
    title: 'Recovery: a kill beside a long queue',
    text: `${explanation}\n\n${table(reports)}`,
    isKept: Object.values(reports).every(isKept),
  }
}

const explanation = `A service that runs 64 tasks is ended by SIGKILL and started again on the same store, with the default lease of 20 s. What it
was running is back in line when its leases have run out, and is run again at once in half of the slots, as one of them may be
what took the process down. Promised: ready within 10 s, back in line within 30 s.`

const readyMsMax = 10_000
const returnedMsMax = 30_000

const isKept = (one: RecoveryReport): boolean =>
  one.lost === 0 && one.orphans > 0 && one.readyMs <= readyMsMax && one.returnedMs <= returnedMsMax

const table = (reports: Record<string, RecoveryReport>): string =>
  factTable(reports, {
    'tasks in line': (one) => one.queued,
    'tasks being run at the kill': (one) => one.orphans,
    'start to ready': (one) => inSeconds(one.readyMs),
    'kill to the last orphan back in line': (one) => inSeconds(one.returnedMs),
    'kill to the first orphan fetched again': (one) => inSeconds(one.runAgainMs),
    lost: (one) => one.lost,
  })
