import { makeScratchFolder } from '../../support/scratch-folder.ts'
import type { FaultReport, FaultRun } from '../fault-report.ts'
import { type OverloadReport, runOverload } from './run-overload.ts'

const goodputShareMin = 0.8
const answerMsMax = 250
const backToNormalMsMax = 30_000
const residentBytesMax = 512 * 1024 ** 2

/** Five times the capacity of the service for ten minutes. */
export async function measureOverload(run: FaultRun): Promise<FaultReport> {
  await using folder = await makeScratchFolder()
  const report = await runOverload({
    place: { dataDir: folder.path },
    peakMs: run.isLong ? 20_000 : 8_000,
    overloadMs: run.isLong ? 600_000 : 60_000,
    queueSeconds: 10,
    say: run.say,
  })
  return {
    title: 'Overload: five times what the service can do',
    text: `${explanation}\n\n${table(report)}`,
    isKept:
      report.lost.length === 0 &&
      report.withoutRetryAfter === 0 &&
      report.goodputShare >= goodputShareMin &&
      report.p99Ms <= answerMsMax &&
      report.backToNormalMs <= backToNormalMsMax &&
      report.residentBytes.highest < residentBytesMax,
  }
}

const explanation = `First callers who always have 64 tasks under way show what the service delivers at its peak. Then callers submit five times as
much, at a fixed rate that no answer slows down, while ten seconds of work may wait (\`TRAWL_QUEUE_MAX\`). Callers, origin and
receivers are processes of their own and share the processor with the service. Goodput is what arrived at the receivers.`

function table(report: OverloadReport): string {
  const mebibytes = Math.round(report.residentBytes.highest / 1024 ** 2)
  const statuses = Object.entries(report.byStatus).map(([status, count]) => `${count} × ${status}`)
  const rows: [name: string, figure: string, wanted: string][] = [
    ['peak', `${report.peakPerSecond.toFixed(0)}/s`, ''],
    ['offered', `${report.offeredPerSecond.toFixed(0)}/s, ${report.sent} in all`, ''],
    [
      'goodput',
      `${report.goodputPerSecond.toFixed(0)}/s, ${(100 * report.goodputShare).toFixed(0)} % of the peak`,
      '≥ 80 %',
    ],
    [
      'delivered a second of the service’s own processor time',
      `${report.perProcessorSecond.overloaded.toFixed(0)}, at the peak ${report.perProcessorSecond.atPeak.toFixed(0)}`,
      '',
    ],
    ['answers', statuses.join(', '), '202, 429, 503'],
    ['refusals without Retry-After', String(report.withoutRetryAfter), '0'],
    [
      'time to an answer, p50, p99',
      `${report.p50Ms}, ${report.p99Ms} ms`,
      `p99 ≤ ${answerMsMax} ms`,
    ],
    ['accepted', String(report.accepted), ''],
    ['of these never delivered', String(report.lost.length), '0'],
    ['back to normal after', `${(report.backToNormalMs / 1000).toFixed(1)} s`, '≤ 30 s'],
    ['resident memory at most', `${mebibytes} MiB`, '< 512 MiB'],
  ]
  return [
    '| | Measured | Wanted |',
    '|---|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n')
}
