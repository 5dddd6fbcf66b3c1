import type { StoreKind } from '../../support/test-store.ts'
import type { FaultReport, FaultRun } from '../fault-report.ts'
import { runSharing, type SharingReport } from './run-sharing.ts'
import { sharedThings } from './shared-things.ts'

const ratioMax = 3

/** One account takes all it can of everything that is shared, while another asks for a little. */
export async function measureSharing(run: FaultRun): Promise<FaultReport> {
  const trials = run.isLong ? 9 : 3
  const rows: Row[] = []
  for (const kind of ['sqlite', 'postgres'] satisfies StoreKind[]) {
    await runSharing({
      kind,
      names: namesOn(kind),
      trials,
      onMeasured(name, report) {
        rows.push({ name: titleOf(name, kind), ...report })
        run.say(`${kind}, ${name}: ${inMs(report.quietMs)} quiet, ${inMs(report.takenMs)} taken`)
      },
    })
  }
  return {
    title: 'Sharing: one account takes all it can',
    text: `${explanation(trials)}\n\n${table(rows)}`,
    isKept: rows.every((row) => ratioOf(row) <= ratioMax),
  }
}

type Row = SharingReport & { name: string }

/** What is not of the store is tried on one. */
const namesOn = (kind: StoreKind): string[] =>
  Object.entries(sharedThings)
    .filter(([, { isOfStore }]) => kind === 'sqlite' || isOfStore)
    .map(([name]) => name)

const titleOf = (name: string, kind: StoreKind): string =>
  sharedThings[name]?.isOfStore ? `${name} (${kind})` : name

const explanation = (
  trials: number,
) => `One account takes all that it can get of something that all accounts share, and keeps it: pages, receivers and connections that stay
open, or sixteen requests at once. Then another asks for one page, result, list, callback or event of its own. Both times are medians of
${trials} trials, quiet and taken in turn. Promised: at most three times the quiet time.`

const ratioOf = ({ quietMs, takenMs }: SharingReport): number => takenMs / quietMs

const inMs = (ms: number): string => `${ms.toFixed(0)} ms`

const table = (rows: readonly Row[]): string =>
  [
    '| Taken | quiet | taken | ratio |',
    '|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.name} | ${inMs(row.quietMs)} | ${inMs(row.takenMs)} | ${ratioOf(row).toFixed(1)} |`,
    ),
  ].join('\n')
