import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeFolder } from '../../runtime/make-folder.ts'
import type { BrowserFlavor } from './browser-candidates.ts'
import type { BrowserInstallPlan } from './plan-browser-install.ts'

export interface BrowserInstallOrder {
  plan: Exclude<BrowserInstallPlan, { way: 'none' }>
  flavor: BrowserFlavor
  dataDir: string
  pathFolders?: readonly string[] | undefined
}

export type BrowserInstallOutcome = { isDone: true } | { isDone: false; reason: string }

const program = fileURLToPath(new URL('./install-browser-program.ts', import.meta.url))
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Starts the installer, or queues behind one that is at work, and tells how it ended. It runs in a
 * session of its own and is let to finish when we stop: a dpkg killed half-way is worse than a late one.
 */
export async function installBrowser(
  order: BrowserInstallOrder,
  options: { proxyVariables?: Record<string, string> | undefined; isWaitedFor: boolean },
): Promise<BrowserInstallOutcome> {
  makeFolder(order.dataDir)
  const logPath = join(order.dataDir, 'browser-install.log')
  const log = openSync(logPath, 'a', 0o600)
  const installer = spawn(
    'flock', // the kernel's lock: gone with its holder, whatever happens to it
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

// As root the packages of the whole machine change, so the lock is the machine's.
const lockPathOf = ({ plan, dataDir }: BrowserInstallOrder): string =>
  plan.way === 'apt' ? '/run/trawl-browser-install.lock' : join(dataDir, 'browser-install.lock')

/** The line of the log that says most: apt's last error, or else that of the installer. */
function lastErrorIn(log: string): string {
  const lines = log.split('\n')
  const error =
    lines.findLast((line) => line.startsWith('E: ')) ??
    lines.findLast((line) => line.startsWith('Error: '))
  return error?.replace(/^(E|Error): /, '') ?? 'the installer ended without a word'
}
