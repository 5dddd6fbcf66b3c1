import type { FaultReport, FaultRun } from '../fault-report.ts'
import { factTable, onEmptyStore } from '../fault-stores.ts'
import { runZombies, type ZombiesReport } from './run-zombies.ts'

/** Zombies: processes that are paused for longer than their leases and then go on. */
export async function measureZombies(run: FaultRun): Promise<FaultReport> {
  const measure = (name: string, kind: 'sqlite' | 'postgres') =>
    onEmptyStore(kind, (environment) =>
      runZombies({
        environment,
        standstills: run.isLong ? 50 : 5,
        onProgress: (line) => run.say(`${name}: ${line}`),
      }),
    )
  const reports = {
    SQLite: await measure('SQLite', 'sqlite'),
    PostgreSQL: await measure('PostgreSQL', 'postgres'),
  }
  return {
    title: 'Zombies: processes that come back',
    text: `${explanation}\n\n${table(reports)}`,
    isKept: Object.values(reports).every(isKept),
  }
}

const explanation = `Two processes work on one store; one after the other gets SIGSTOP for 4.5 s, three times its lease of 1.5 s, then SIGCONT.
Meanwhile the other takes over; what the first had under way it tries to write when it comes back. A callback that was
on its way when its process stood still may be told again.`

const isKept = (one: ZombiesReport): boolean =>
  one.fencedWrites > 0 &&
  [one.lost, one.unexplained, one.faulty, one.failed, one.renamed, one.regressed].every(
    (found) => found.length === 0,
  )

const table = (reports: Record<string, ZombiesReport>): string =>
  factTable(reports, {
    standstills: (one) => one.standstills,
    'accepted tasks': (one) => one.accepted,
    'leases taken over': (one) => one.takenOver,
    'late writes refused by their fence': (one) => one.fencedWrites,
    lost: (one) => one.lost.length,
    'ended tasks that changed afterwards': (one) => one.regressed.length,
    'wrong signature, page or id': (one) => one.faulty.length,
    'failed though the origin would have answered': (one) => one.failed.length,
    'told under more than one id': (one) => one.renamed.length,
    'told again, explained by a standstill': (one) => one.explainedCount,
    'told again, unexplained': (one) => one.unexplained.length,
  })
