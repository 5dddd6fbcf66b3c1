import { setTimeout as pause } from 'node:timers/promises'
import { defaultScrapeOptions } from '../../../src/domain/scrape/scrape-options.ts'
import { killAtOnce, listBrowsers, listRenderers } from '../../support/browser-processes.ts'
import { seededChance } from '../ledger/seeded-chance.ts'

/** The work that goes on while browsers are killed. */
export interface BrowserWork extends AsyncDisposable {
  /** The process whose browsers are killed. */
  readonly owner: number
  /** How many tasks it gets at once. */
  readonly atOnce: number
  /** Runs one task. `page` means that it ended with its page; a failure is its code. */
  run(task: number): Promise<TaskEnding>
  /** How often the end of a task was reported more than once. */
  repeats(): number
}

export type TaskEnding = 'page' | string

export interface BrowserKillsReport {
  tasks: number
  atOnce: number
  /** Number of kills by kind of process. */
  kills: { browsers: number; renderers: number }
  /** Number of tasks by ending. */
  endings: Record<TaskEnding, number>
  slowestTaskMs: number
  /** From the last kill until a task ended with its page. */
  backAfterMs: number
  repeats: number
}

/** Kills browsers and renderers at random during the work, until there were enough of both. */
export async function runBrowserKills(options: {
  work: BrowserWork
  seed: number
  tasks: number
  kills: number
  onProgress?(line: string): void
}): Promise<BrowserKillsReport> {
  const { work, onProgress } = options
  const endings: Record<TaskEnding, number> = {}
  let tasks = 0
  // In proportion to the tasks started, so that a slow machine does not see more kills per task.
  const killsDue = () => Math.ceil((options.kills * tasks) / options.tasks)
  const killer = startKiller(work.owner, options.seed, killsDue)
  let slowestTaskMs = 0
  const isEnough = () => tasks >= options.tasks && killer.total() >= options.kills
  const go = async () => {
    while (!isEnough()) {
      tasks += 1
      if (tasks % 200 === 0) onProgress?.(`${tasks} tasks, ${killer.total()} kills`)
      const startedAtMs = performance.now()
      const ending = await work.run(tasks)
      endings[ending] = (endings[ending] ?? 0) + 1
      slowestTaskMs = Math.max(slowestTaskMs, performance.now() - startedAtMs)
    }
  }
  await Promise.all(Array.from({ length: work.atOnce }, go))
  await killer.stop()
  const backAfterMs = await untilBack(work)
  return {
    tasks,
    atOnce: work.atOnce,
    kills: killer.kills,
    endings,
    slowestTaskMs,
    backAfterMs,
    repeats: work.repeats(),
  }
}

/** A task crashes only if each attempt was killed; a browser kill affects all tasks in it. */
export const crashedTasksMax = ({ atOnce, kills }: BrowserKillsReport): number =>
  (kills.browsers * atOnce + kills.renderers) / attemptsMax

const attemptsMax = defaultScrapeOptions.retries.maxRetries + 1

const killedEveryMs = { least: 100, most: 1_500 }
const browserShare = 0.4

function startKiller(owner: number, seed: number, killsDue: () => number) {
  const chance = seededChance(seed)
  const kills = { browsers: 0, renderers: 0 }
  const total = () => kills.browsers + kills.renderers
  let isOver = false
  const killing = (async () => {
    while (!isOver) {
      await pause(killedEveryMs.least + chance() * (killedEveryMs.most - killedEveryMs.least))
      if (total() >= killsDue()) continue
      const isBrowser = chance() < browserShare
      const victims = isBrowser ? listBrowsers(owner) : listRenderers(owner)
      const victim = victims[Math.floor(chance() * victims.length)]
      if (victim !== undefined && killAtOnce(victim))
        kills[isBrowser ? 'browsers' : 'renderers'] += 1
    }
  })()
  return {
    kills,
    total,
    async stop() {
      isOver = true
      await killing
    },
  }
}

const triesMax = 100

async function untilBack({ run }: BrowserWork): Promise<number> {
  const startedAtMs = performance.now()
  for (let task = 0; task < triesMax; task += 1) {
    if ((await run(task)) === 'page') return performance.now() - startedAtMs
  }
  return Number.POSITIVE_INFINITY
}
