/**
 * The dashboard of this process: built on this machine beside the running service, as Chromium is installed,
 * then served from memory. The page itself is `dashboard/` at the root of the repository; nothing of the
 * service imports it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '../runtime/log.ts'
import { buildDashboard } from './build-dashboard.ts'
import { type DashboardFiles, readDashboardFiles } from './dashboard-files.ts'
import { stampOfSources } from './source-stamp.ts'

/** `auto` builds it where that is needed, `built` serves what is there, `off` serves none. */
export type DashboardMode = 'auto' | 'built' | 'off'

export interface DashboardOptions {
  mode: DashboardMode
  /** Has the log of the build. */
  dataDir: string
  /** What npm needs of the environment; nothing else is passed on. */
  buildVariables: Record<string, string>
  log: Log
  /** The repository by default. */
  root?: string
  /** How long a build may take. */
  buildMsMax?: number
}

export interface Dashboard extends AsyncDisposable {
  /** What is served; undefined while there is none. */
  files(): DashboardFiles | undefined
  isBuilding(): boolean
  /** That there is none, for the front page; undefined where nobody wants one. */
  notice(): string | undefined
  /** Why it could not be had, with paths of this machine and what npm said: not for strangers. */
  problem(): string | undefined
  /** Resolves when it is served, or cannot be had. */
  readonly whenSettled: Promise<void>
}

const ownRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** Reads or builds the dashboard in the background, so that start-up does not wait for it. */
export function startDashboard(options: DashboardOptions): Dashboard {
  const { mode, root = ownRoot } = options
  if (mode === 'off' || !existsSync(join(root, 'dashboard', 'package.json'))) {
    return withoutDashboard()
  }
  let files: DashboardFiles | undefined
  let notice: string | undefined = 'The dashboard is being looked for.'
  let problem: string | undefined
  const stopping = new AbortController()

  const whenSettled = settle().catch((err) => {
    notice = `The dashboard cannot be read. ${logSaysWhy}`
    problem = (err as Error).message
    options.log.error({ err }, 'failed to read the dashboard')
  })
  return {
    files: () => files,
    isBuilding: () => notice === buildingNotice,
    notice: () => notice,
    problem: () => problem,
    whenSettled,
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await whenSettled
    },
  }

  async function settle(): Promise<void> {
    const built = join(root, 'dashboard', 'dist')
    files = await readDashboardFiles(built)
    if (mode === 'auto') {
      if (files?.stamp !== (await stampOfSources(root))) {
        notice = buildingNotice
        options.log.info(buildingNotice)
        problem = await buildDashboard({ ...options, root, signal: stopping.signal })
        if (stopping.signal.aborted) return
        if (problem) {
          notice = `The dashboard could not be built. ${logSaysWhy}`
          options.log.warn(
            `The dashboard could not be built: ${problem} To try again, run "npm run dashboard".`,
          )
          return
        }
        files = await readDashboardFiles(built)
      }
    }
    notice = files ? undefined : 'The dashboard is not built. To build it, run "npm run dashboard".'
    if (files) options.log.info('dashboard ready')
  }
}

const buildingNotice = 'The dashboard is being built; this page becomes it in a minute or two.'

const logSaysWhy =
  'The log of the service says why. To try again, run "npm run dashboard" and restart it.'

/** For a process that shows none. */
export const withoutDashboard = (): Dashboard => ({
  files: () => undefined,
  isBuilding: () => false,
  notice: () => undefined,
  problem: () => undefined,
  whenSettled: Promise.resolve(),
  [Symbol.asyncDispose]: async () => {},
})
