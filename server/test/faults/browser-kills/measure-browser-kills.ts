import { setTimeout as pause } from 'node:timers/promises'
import { listBrowserHomes, listBrowserProcesses } from '../../support/browser-processes.ts'
import type { FaultReport, FaultRun } from '../fault-report.ts'
import { factTable, inSeconds } from '../fault-stores.ts'
import { startEngineWork } from './engine-work.ts'
import { type BrowserKillsReport, runBrowserKills, type TaskEnding } from './run-browser-kills.ts'

interface Measured extends BrowserKillsReport {
  processesLeft: number
  foldersLeft: number
}

/** Browsers and pages that are killed while they are at work. */
export async function measureBrowserKills(run: FaultRun): Promise<FaultReport> {
  const share = run.isLong ? 1 : 0.1
  const report = await measure({ ...run, tasks: 2_000 * share, kills: 200 * share })
  return {
    title: 'Dying browsers',
    text: `${explanation}\n\n${table({ engine: report })}`,
    isKept: isKept(report),
  }
}

const explanation = `Four visits at a time go on while the browser or one of its pages gets SIGKILL, at random, about once a second. A visit
that loses its browser ends with \`BROWSER_CRASHED\`, which a task is tried again for; any other visit brings its own page.`

const processesEndWithinMs = 5_000

async function measure({
  seed,
  say,
  ...amount
}: FaultRun & { tasks: number; kills: number }): Promise<Measured> {
  const work = await startEngineWork({ atOnce: 4 })
  const report = await runBrowserKills({ work, seed, onProgress: say, ...amount })
  await work[Symbol.asyncDispose]()
  const untilMs = performance.now() + processesEndWithinMs
  while (listBrowserProcesses().length > 0 && performance.now() < untilMs) await pause(100)
  return {
    ...report,
    processesLeft: listBrowserProcesses().length,
    foldersLeft: listBrowserHomes().length,
  }
}

const count = ({ endings }: BrowserKillsReport, ending: TaskEnding): number => endings[ending] ?? 0

const others = (one: BrowserKillsReport): number =>
  one.tasks - count(one, 'page') - count(one, 'BROWSER_CRASHED')

const isKept = (one: Measured): boolean =>
  others(one) === 0 &&
  one.backAfterMs < 5_000 &&
  one.slowestTaskMs < 30_000 &&
  one.processesLeft + one.foldersLeft + one.unhandled.length === 0

const table = (reports: Record<string, Measured>): string =>
  factTable(reports, {
    visits: ({ tasks }) => tasks,
    'browsers killed': ({ kills }) => kills.browsers,
    'pages killed': ({ kills }) => kills.renderers,
    'brought their page': (one) => count(one, 'page'),
    'ended with BROWSER_CRASHED': (one) => count(one, 'BROWSER_CRASHED'),
    'ended otherwise': (one) => others(one),
    'slowest visit': ({ slowestTaskMs }) => inSeconds(slowestTaskMs),
    'from the last kill to the next page': ({ backAfterMs }) => inSeconds(backAfterMs),
    'rejections that nobody handled': ({ unhandled }) => unhandled.length,
    'processes left': ({ processesLeft }) => processesLeft,
    'folders left': ({ foldersLeft }) => foldersLeft,
  })
