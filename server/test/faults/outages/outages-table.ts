import type { OutageFindings } from './describe-outage.ts'
import type { OutagesReport } from './run-outages.ts'

// The promises to callers and operators.
const answeredWithinMs = 1_000
const resumedWithinMs = 10_000

/** One row per kind of outage, then the ledger of each store. */
export function outagesTable(reports: Record<string, OutagesReport>): string {
  return `${findingsTable(reports)}\n\n${ledgerTable(reports)}`
}

/** Everything but response times, which a busy machine may miss without a defect. */
export const isKept = (report: OutagesReport): boolean =>
  [
    report.lost,
    report.withoutRow,
    report.unexpected,
    report.faulty,
    report.unexplained,
    report.renamed,
    report.failed,
  ].every((found) => found.length === 0) &&
  report.deathCount === 0 &&
  report.outages.every(
    (one) =>
      (!one.isTotal || one.acceptedMeanwhile === 0) &&
      one.otherAnswers.length === 0 &&
      one.acceptedAfterMs <= resumedWithinMs,
  )

function findingsTable(reports: Record<string, OutagesReport>): string {
  const lines = Object.entries(reports).flatMap(([store, { outages }]) =>
    [...Map.groupBy(outages, ({ name }) => name)].map(([name, alike]) =>
      row(`${store}, ${name}`, alike),
    ),
  )
  return [
    '| | times | 2xx while nothing could be written | 503 | p50, max ms | later than 1 s | other answers | `/readyz` 503 | accepted again, max s | delivered again, max s |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

function row(name: string, alike: readonly OutageFindings[]): string {
  const tookMs = alike.flatMap(({ unavailableMs }) => unavailableMs).toSorted((a, b) => a - b)
  const acceptedMeanwhile = alike.reduce((sum, one) => sum + one.acceptedMeanwhile, 0)
  const seconds = (ms: number[]) => (Math.max(...ms) / 1_000).toFixed(1)
  const cells = [
    name,
    alike.length,
    alike.every(({ isTotal }) => isTotal) ? acceptedMeanwhile : `some could (${acceptedMeanwhile})`,
    tookMs.length,
    `${Math.round(tookMs[tookMs.length >> 1] ?? 0)}, ${Math.round(tookMs.at(-1) ?? 0)}`,
    tookMs.filter((ms) => ms > answeredWithinMs).length,
    alike.flatMap(({ otherAnswers }) => otherAnswers).join(' ') || 0,
    alike.filter(({ readyzStatus }) => readyzStatus === 503).length,
    seconds(alike.map(({ acceptedAfterMs }) => acceptedAfterMs)),
    seconds(alike.map(({ deliveredAfterMs }) => deliveredAfterMs)),
  ]
  return `| ${cells.join(' | ')} |`
}

function ledgerTable(reports: Record<string, OutagesReport>): string {
  const columns = Object.values(reports)
  const line = (name: string, value: (report: OutagesReport) => unknown) =>
    `| ${name} | ${columns.map(value).join(' | ')} |`
  return [
    `| | ${Object.keys(reports).join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    line('accepted', (one) => one.acceptedCount),
    line('accepted without a row', (one) => one.withoutRow.length),
    line('lost', (one) => one.lost.length),
    line(
      'never asked for, wrong or renamed',
      (one) => [one.unexpected, one.faulty, one.renamed].flat().length,
    ),
    line('told again because of an outage', (one) => one.explainedCount),
    line('told again, unexplained', (one) => one.unexplained.length),
    line('failed though the origin would have answered', (one) => one.failed.length),
    line('deaths of the service', (one) => one.deathCount),
    line('its memory at most', (one) => `${one.peakMemoryMib} MiB`),
  ].join('\n')
}
