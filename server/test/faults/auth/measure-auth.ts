import { makeScratchFolder } from '../../support/scratch-folder.ts'
import type { FaultReport, FaultRun } from '../fault-report.ts'
import type { TimingAnswer } from './auth-callers.ts'
import { type AuthReport, runAuth } from './run-auth.ts'

const p99GrowthMax = 0.2
const timingDifferenceMax = 0.05
const residentBytesMax = 512 * 1024 ** 2

/** A hundred wrong passwords per second beside callers with valid keys. */
export async function measureAuth(run: FaultRun): Promise<FaultReport> {
  await using folder = await makeScratchFolder()
  const report = await runAuth({
    dataDir: folder.path,
    rounds: roundsOf(run),
    roundMs: run.isLong ? 3_000 : 2_000,
    timingMs: run.isLong ? 120_000 : 20_000,
  })
  const isUnhurt = Object.keys(report.beside.byStatus).join() === '200'
  const isOnlyRefused = !('200' in report.guesses.byStatus)
  return {
    title: 'A flood of wrong passwords',
    text: `${explanation}\n\n${table(report, roundsOf(run))}`,
    isKept:
      isUnhurt &&
      isOnlyRefused &&
      report.spoofed.every((status) => status === 401) &&
      report.logins.every((status) => status === 200) &&
      growth(report) <= p99GrowthMax &&
      Object.values(report.timing).every((timing) => difference(timing) <= timingDifferenceMax) &&
      report.residentBytes.highest < residentBytesMax,
  }
}

const roundsOf = ({ isLong }: FaultRun): number => (isLong ? 50 : 5)

const explanation = `Unknown names and wrong passwords take turns, one at a time, and the means of the middle halves are compared: before anybody has
logged in since the start, when the guesses are hashed, and after a login, when they are dismissed. That login comes right after twelve
guesses at once from its own address. Then 200 requests a second with a good API key, alone and beside 100 wrong passwords a second, in
alternating rounds; told is the middle one of those in which the machine did not hold up the callers themselves for more than 10 ms. A
right password is sent in each round of the flood. At last callers claim in five headers to come from an address on the list of an
account.`

const growth = ({ alone, beside }: AuthReport): number => beside.p99Ms / alone.p99Ms - 1

const difference = ({ unknownMs, wrongMs }: TimingAnswer): number =>
  Math.abs(unknownMs - wrongMs) / ((unknownMs + wrongMs) / 2)

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const countsOf = (byStatus: Record<string, number>): string =>
  Object.entries(byStatus)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')

const counted = (statuses: readonly number[]): Record<string, number> =>
  Object.fromEntries(
    [...new Set(statuses)].map((status) => [
      status,
      statuses.filter((other) => other === status).length,
    ]),
  )

const timingRows = (when: string, timing: TimingAnswer): Row[] => [
  [
    `unknown name, wrong password, ${when}`,
    `${timing.unknownMs.toFixed(1)}, ${timing.wrongMs.toFixed(1)} ms`,
    '',
  ],
  ['difference', percent(difference(timing)), '< 5 %'],
]

type Row = [name: string, figure: string, wanted: string]

function table(report: AuthReport, rounds: number): string {
  const { alone, beside, guesses, timing, logins, spoofed, residentBytes } = report
  const rows: Row[] = [
    ['good keys alone, p50, p99', `${alone.p50Ms.toFixed(1)}, ${alone.p99Ms.toFixed(1)} ms`, ''],
    ['beside the flood', `${beside.p50Ms.toFixed(1)}, ${beside.p99Ms.toFixed(1)} ms`, ''],
    [`rounds that count, of ${rounds} each`, `${alone.quietCount}, ${beside.quietCount}`, ''],
    ['growth of the p99', percent(growth(report)), '≤ 20 %'],
    ['answers to good keys beside the flood', countsOf(beside.byStatus), 'only 200'],
    ['answers to wrong passwords', countsOf(guesses.byStatus), '401, 429'],
    ['answers to the right password among them', countsOf(counted(logins)), 'only 200'],
    ...timingRows('before the first login', timing.beforeLogin),
    ...timingRows('after it', timing.afterLogin),
    ['answers to made-up addresses', spoofed.join(', '), 'only 401'],
    [
      'resident memory at most',
      `${Math.round(residentBytes.highest / 1024 ** 2)} MiB`,
      '< 512 MiB',
    ],
  ]
  return [
    '| | Measured | Wanted |',
    '|---|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n')
}
