import { setTimeout as pause } from 'node:timers/promises'
import {
  listBrowserHomes,
  listBrowserProcesses,
  listZombies,
} from '../../support/browser-processes.ts'
import type { FaultReport, FaultRun } from '../fault-report.ts'
import { factTable, inSeconds } from '../fault-stores.ts'
import {
  type BrowserKillsReport,
  crashedTasksMax,
  runBrowserKills,
  type TaskEnding,
} from './run-browser-kills.ts'
import { startServiceWork } from './service-work.ts'

interface Measured extends BrowserKillsReport {
  zombies: number
  processesLeft: number
  foldersLeft: number
}

/** Kills browsers and pages while they work. */
export async function measureBrowserKills(run: FaultRun): Promise<FaultReport> {
  const share = run.isLong ? 1 : 0.1
  const report = await measure({ ...run, tasks: 2_000 * share, kills: 200 * share })
  return {
    title: 'Dying browsers',
    text: `${explanation}\n\n${table({ service: report })}`,
    isKept: isKept(report),
  }
}

const explanation = `A service with four tasks at a time, while its browser or one of its pages gets SIGKILL, at random, once in ten tasks. A task
that loses its browser is tried again, up to three times, and then fails with \`BROWSER_CRASHED\`; any other brings its own page.
Then the service is stopped.`

async function measure({
  seed,
  say,
  ...amount
}: FaultRun & { tasks: number; kills: number }): Promise<Measured> {
  const work = await startServiceWork({ atOnce: 4 })
  const report = await runBrowserKills({ work, seed, onProgress: say, ...amount })
  const zombies = await zombiesThatStay(work.owner)
  await work[Symbol.asyncDispose]()
  return {
    ...report,
    zombies,
    processesLeft: listBrowserProcesses(work.owner).length,
    foldersLeft: listBrowserHomes(work.owner).length,
  }
}

const takenNoteOfWithinMs = 5_000
const lookedAtEveryMs = 100

async function zombiesThatStay(owner: number): Promise<number> {
  const untilMs = performance.now() + takenNoteOfWithinMs
  while (listZombies(owner).length > 0 && performance.now() < untilMs) await pause(lookedAtEveryMs)
  return listZombies(owner).length
}

const count = ({ endings }: BrowserKillsReport, ending: TaskEnding): number => endings[ending] ?? 0

const others = (one: BrowserKillsReport): number =>
  one.tasks - count(one, 'page') - count(one, 'BROWSER_CRASHED')

const isKept = (one: Measured): boolean =>
  others(one) === 0 &&
  count(one, 'BROWSER_CRASHED') <= crashedTasksMax(one) &&
  one.backAfterMs < 5_000 &&
  one.slowestTaskMs < 60_000 &&
  one.zombies + one.processesLeft + one.foldersLeft + one.repeats === 0

const table = (reports: Record<string, Measured>): string =>
  factTable(reports, {
    tasks: ({ tasks }) => tasks,
    'browsers killed': ({ kills }) => kills.browsers,
    'pages killed': ({ kills }) => kills.renderers,
    'brought their page': (one) => count(one, 'page'),
    'ended with BROWSER_CRASHED': (one) => count(one, 'BROWSER_CRASHED'),
    'lost, or ended otherwise': (one) => others(one),
    'told twice': ({ repeats }) => repeats,
    'slowest task, its retries included': ({ slowestTaskMs }) => inSeconds(slowestTaskMs),
    'from the last kill to the next page': ({ backAfterMs }) => inSeconds(backAfterMs),
    'zombies of the service': ({ zombies }) => zombies,
    'processes left': ({ processesLeft }) => processesLeft,
    'folders left': ({ foldersLeft }) => foldersLeft,
  })
