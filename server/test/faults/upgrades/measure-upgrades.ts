import type { FaultReport, FaultRun } from '../fault-report.ts'
import { factTable, onEmptyStore } from '../fault-stores.ts'
import type { OlderVersion } from './older-writes.ts'
import { runUpgrade, type UpgradeReport } from './run-upgrade.ts'

/** The new version is started while processes of an older one accept work. */
export async function measureUpgrades(run: FaultRun): Promise<FaultReport> {
  const load = run.isLong
    ? { writersCount: 16, acceptedBefore: 5_000, backlogCount: 200_000 }
    : { writersCount: 8, acceptedBefore: 500, backlogCount: 20_000 }
  const measure = (kind: 'sqlite' | 'postgres', from: OlderVersion) => {
    run.say(`${kind}, before ${from}`)
    return onEmptyStore(kind, (environment) =>
      runUpgrade({ ...load, from, environment, finishedWithinMs: 600_000 }),
    )
  }
  const reports = {
    'SQLite, tasks': await measure('sqlite', 'queue_flows'),
    'PostgreSQL, tasks': await measure('postgres', 'queue_flows'),
    'SQLite, deliveries': await measure('sqlite', 'jobs'),
    'PostgreSQL, deliveries': await measure('postgres', 'jobs'),
  }
  return {
    title: 'Upgrades: a migration beside processes that accept work',
    text: `${explanation}\n\n${table(reports)}`,
    isKept: Object.values(reports).every(isKept),
  }
}

const explanation = `Writers commit tasks, or deliveries, with their queue entries as an earlier version did, and go on until their statements
fail. Meanwhile the present version is started on the same store and migrates it; the tables that it copies have a long backlog. What was
accepted has to be fetched and told to its callback. The sweep for work without a queue entry must have found none.`

const isKept = (one: UpgradeReport): boolean => one.lost === 0 && one.requeued === 0

const table = (reports: Record<string, UpgradeReport>): string =>
  factTable(reports, {
    'accepted before the start': (one) => one.acceptedBefore,
    'accepted during it': (one) => one.acceptedMeanwhile,
    'queued again by the sweep': (one) => one.requeued,
    lost: (one) => one.lost,
  })
