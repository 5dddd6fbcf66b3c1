import { startPostgres } from '../support/postgres-server.ts'
import { makeScratchFolder } from '../support/scratch-folder.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import type { StoreKind } from '../support/test-store.ts'

/** An empty store for one measurement, with fsync as in production. */
export async function onEmptyStore<Report>(
  kind: StoreKind,
  measure: (environment: Record<string, string>) => Promise<Report>,
): Promise<Report> {
  await using resources = new AsyncDisposableStack()
  const { path: dataDir } = resources.use(await makeScratchFolder())
  const url = kind === 'postgres' ? resources.use(await startPostgres()).url : undefined
  return await measure(serviceEnvironment({ url, dataDir }))
}

/** One column per report, one row per fact. */
export function factTable<Report>(
  reports: Record<string, Report>,
  facts: Record<string, (report: Report) => unknown>,
): string {
  const columns = Object.values(reports)
  return [
    `| | ${Object.keys(reports).join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    ...Object.entries(facts).map(
      ([name, value]) => `| ${name} | ${columns.map(value).join(' | ')} |`,
    ),
  ].join('\n')
}

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN

export const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
