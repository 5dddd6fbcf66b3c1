import type { FaultReport, FaultRun } from '../fault-report.ts'
import { factTable, onEmptyStore } from '../fault-stores.ts'
import { type IdempotencyReport, runIdempotency } from './run-idempotency.ts'

const cases = [
  { name: 'SQLite', kind: 'sqlite', processCount: 1, dies: false },
  { name: 'SQLite, killed', kind: 'sqlite', processCount: 1, dies: true },
  { name: 'PostgreSQL', kind: 'postgres', processCount: 1, dies: false },
  { name: 'PostgreSQL, killed', kind: 'postgres', processCount: 1, dies: true },
  { name: 'PostgreSQL, two processes', kind: 'postgres', processCount: 2, dies: false },
  { name: 'PostgreSQL, one of two killed', kind: 'postgres', processCount: 2, dies: true },
] as const

/** A thousand concurrent requests under one key, also with a kill between commit and response. */
export async function measureIdempotency(run: FaultRun): Promise<FaultReport> {
  const rounds = run.isLong ? 5 : 1
  const reports: Record<string, IdempotencyReport[]> = {}
  for (const { name, kind, processCount, dies } of cases) {
    reports[name] = []
    for (let round = 0; round < rounds; round += 1) {
      const report = await onEmptyStore(kind, (environment) =>
        runIdempotency({ environment, duplicates: 1_000, processCount, dies }),
      )
      reports[name].push(report)
    }
    run.say(`${name}: ${reports[name].every(isKept) ? 'one task' : 'not one task'}`)
  }
  return {
    title: 'Idempotency: one key, one task',
    text: `${explanation}\n\n${table(reports)}`,
    isKept: Object.values(reports).flat().every(isKept),
  }
}

const explanation = `The same request is sent 1 000 times at once under one \`Idempotency-Key\`. Where it says *killed*, the process is ended by
SIGKILL after the commit and before any answer, and started again; callers without an answer ask again.`

const isKept = (one: IdempotencyReport): boolean =>
  one.statuses.join() === '202' && one.ids === 1 && one.tasks === 1 && one.callbacks === 1

const eachOf = (value: (one: IdempotencyReport) => unknown) => (reports: IdempotencyReport[]) =>
  [...new Set(reports.map((one) => String(value(one))))].join(', ')

const table = (reports: Record<string, IdempotencyReport[]>): string =>
  factTable(reports, {
    rounds: (all) => all.length,
    'answers a round': eachOf((one) => one.answers),
    'their status': eachOf((one) => one.statuses.join(', ')),
    'distinct ids told': eachOf((one) => one.ids),
    'tasks in the store': eachOf((one) => one.tasks),
    'callbacks sent': eachOf((one) => one.callbacks),
    'kills a round': eachOf((one) => one.kills),
  })
