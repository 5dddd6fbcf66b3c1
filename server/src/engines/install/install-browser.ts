import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeFolder } from '../../runtime/files/make-folder.ts'
import type { WantedBrowser } from './browser-candidates.ts'
import type { BrowserInstallPlan } from './plan-browser-install.ts'

export interface BrowserInstallOrder {
  plan: Exclude<BrowserInstallPlan, { method: 'none' }>
  settings: WantedBrowser
  dataDir: string
  pathFolders?: readonly string[] | undefined
}

export type BrowserInstallOutcome = { isDone: true } | { isDone: false; reason: string }

const program = fileURLToPath(new URL('./install-browser-program.ts', import.meta.url))
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Runs the installer, after any other one that holds the lock, and returns how it ended. It has its own
 * session, so it runs on when the service stops: a dpkg that is killed half-way breaks the machine.
 */
export async function installBrowser(
  order: BrowserInstallOrder,
  options: { proxyVariables?: Record<string, string> | undefined; isWaitedFor: boolean },
): Promise<BrowserInstallOutcome> {
  makeFolder(order.dataDir)
  const logPath = join(order.dataDir, 'browser-install.log')
  const log = openSync(logPath, 'a', 0o600)
  const installer = spawn(
    'flock', // the kernel releases this lock when its process dies
    [lockPathOf(order), process.execPath, program, JSON.stringify(order)],
    {
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
      env: {
        PATH: systemPath,
        LANG: 'C.UTF-8',
        DEBIAN_FRONTEND: 'noninteractive',
        ...options.proxyVariables,
      },
    },
  )
  closeSync(log)
  if (!options.isWaitedFor) installer.unref()

  const [exitCode] = await once(installer, 'close').catch((error: unknown) => [String(error)])
  if (exitCode === 0) return { isDone: true }
  return { isDone: false, reason: `${lastErrorIn(readFileSync(logPath, 'utf8'))}; see ${logPath}` }
}

// apt changes the packages of the whole machine, so its lock is machine-wide.
const lockPathOf = ({ plan, dataDir }: BrowserInstallOrder): string =>
  plan.method === 'apt' ? '/run/trawl-browser-install.lock' : join(dataDir, 'browser-install.lock')

/** The most useful line of the log: apt's last error, or else the installer's. */
function lastErrorIn(log: string): string {
  const lines = log.split('\n')
  const error =
    lines.findLast((line) => line.startsWith('E: ')) ??
    lines.findLast((line) => line.startsWith('Error: '))
  return error?.replace(/^(E|Error): /, '') ?? 'the installer ended without an error message'
}
