import { startPostgres } from '../../support/postgres-server.ts'
import type { FaultReport, FaultRun } from '../fault-report.ts'
import { factTable } from '../fault-stores.ts'
import { runSoak, type SoakReport, type SoakSample } from './run-soak.ts'
import { sparkline, trendOf } from './trend.ts'

const perSecond = 20

/** A mixed load on both stores: does anything grow that should not? */
export async function measureSoak(run: FaultRun): Promise<FaultReport> {
  await using server = await startPostgres()
  const options = {
    ms: run.isLong ? 30 * 60_000 : 90_000,
    sampleEveryMs: run.isLong ? 10_000 : 1_000,
    perSecond,
  }
  const [sqlite, postgres] = await Promise.all([
    runSoak(options),
    runSoak({ ...options, databaseUrl: server.url }),
  ])
  const reports = { SQLite: sqlite, PostgreSQL: postgres }
  const minutes = options.ms / 60_000
  return {
    title: 'The soak: memory, handles and store stay as they are',
    text: [
      `Each store has a service in a process of its own and ${perSecond} requests a second for ${minutes} minutes: ${explanation}`,
      countTable(reports),
      ...Object.entries(reports).map(
        ([name, one]) => `## ${name}\n\n${trendTable(one)}${listWrong(one)}`,
      ),
    ].join('\n\n'),
    // Heap and vacuum need longer than a short run to settle.
    isKept: Object.values(reports).every((one) => isRight(one) && (!run.isLong || isFlat(one))),
  }
}

const explanation = `callbacks, realtime,
JSON, minifying, tracking, a webhook for every task, receivers that fail or hang, targets that are broken. Results are kept for 10 s
and tasks for 15 s, so that the store comes to a size. The first third is for warming up; after it a straight line through the
samples may rise by less than 15 % of their mean.`

const watched = {
  'resident memory, MiB': { of: (one) => one.memoryMib, nothing: 16 },
  'open files': { of: (one) => one.files, nothing: 10 },
  threads: { of: (one) => one.threads, nothing: 3 },
  'store, MiB': { of: (one) => one.storeMib, nothing: 2 },
} satisfies Record<string, { of(sample: SoakSample): number; nothing: number }>

const trendsOf = ({ samples }: SoakReport) =>
  Object.entries(watched).map(([name, { of, nothing }]) => {
    const values = samples.map(of)
    return { name, values, ...trendOf(values, nothing) }
  })

const isRight = ({ wrong, missing }: SoakReport): boolean =>
  wrong.length === 0 && missing.callbacks + missing.events === 0

const isFlat = (report: SoakReport): boolean => trendsOf(report).every((trend) => trend.isFlat)

function countTable(reports: Record<string, SoakReport>): string {
  const [first] = Object.values(reports)
  const kinds = Object.keys(first?.asked ?? {}) as (keyof SoakReport['asked'])[]
  const asked = kinds.map((kind) => [kind, (one: SoakReport) => one.asked[kind]] as const)
  return factTable(reports, {
    ...Object.fromEntries(asked),
    'answered wrongly': (one) => one.wrong.length,
    'callbacks that never came': (one) => one.missing.callbacks,
    'events that never came': (one) => one.missing.events,
  })
}

/** Each kind of wrong response once, without ids. */
function listWrong({ wrong }: SoakReport): string {
  const kinds = Map.groupBy(wrong, (text) => text.replaceAll(/[0-9a-f-]{36}/g, '…'))
  return [...kinds].map(([text, all]) => `\n\n${all.length} × \`${text}\``).join('')
}

function trendTable(report: SoakReport): string {
  const round = (value: number): string =>
    value < 100 ? value.toFixed(1) : String(Math.round(value))
  const first = (values: readonly number[]): number => values[0] ?? Number.NaN
  return [
    '| | at first | after warming up | at the end | most | rise | flat | |',
    '|---|---|---|---|---|---|---|---|',
    ...trendsOf(report).map(
      ({ name, values, start, end, most, rise, ...trend }) =>
        `| ${[name, ...[first(values), start, end, most, rise].map(round), trend.isFlat ? 'yes' : '**no**', sparkline(values)].join(' | ')} |`,
    ),
  ].join('\n')
}
