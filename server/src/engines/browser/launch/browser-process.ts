import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statfs } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { withDeadline } from '../../../runtime/deadline.ts'
import type { BrowserFlavor, LaunchableBrowser } from '../../install/browser-candidates.ts'
import { isScript } from '../../install/check-browser.ts'
import { CdpConnection } from '../cdp/cdp-connection.ts'
import { makeBrowserHome, nobody, removeBrowserHome, writePreferences } from './browser-home.ts'
import { launchArguments } from './launch-arguments.ts'
import { explainLaunch, type LaunchMode } from './launch-modes.ts'

/** Chromium with its whole process tree. Disposing leaves no process and no file behind. */
export interface BrowserProcess extends AsyncDisposable {
  readonly pid: number
  readonly flavor: BrowserFlavor
  readonly connection: CdpConnection
  readonly whenExited: Promise<BrowserExit>
  /** Resolves after the exit, when the browser's folder is removed too. */
  readonly whenCleanedUp: Promise<void>
  kill(): void
}

/** How the process ended, for the log. */
export interface BrowserExit {
  exitCode: number | null
  signal: string | null
}

/** The browser did not start; the message is what it printed to stderr. */
export class BrowserNotStarted extends Error {
  /** Only this calls for another launch mode: other failures may be temporary. */
  get lacksSandbox(): boolean {
    return /sandbox|namespace|EACCES/i.test(this.message)
  }
}

const startMsMax = 20_000
const stderrCharactersMax = 4_096

export async function startBrowserProcess(
  browser: LaunchableBrowser,
  mode: LaunchMode,
): Promise<BrowserProcess> {
  const home = await makeBrowserHome(mode)
  const profile = join(home, 'profile')
  if (browser.flavor === 'chrome') await writePreferences(profile, mode)
  const child = spawn(
    browser.path,
    launchArguments({
      flavor: browser.flavor,
      sandbox: mode.sandbox,
      profile,
      sharedMemoryBytes: await sharedMemoryBytes(),
    }),
    {
      cwd: home,
      env: environmentFor(browser, { home, isScript: await isScript(browser.path) }),
      detached: true, // a process group of its own, so that one signal kills the whole tree
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      ...(mode.asNobody && nobody),
    },
  )
  const stderrOf = collectStderr(child)
  const [, , , write, read] = child.stdio as [null, null, Readable, Writable, Readable]
  const connection = new CdpConnection({ write, read })
  let hasExited = false
  const kill = () => {
    // After the exit, the process id may belong to another process.
    if (!hasExited) killProcessGroup(child.pid)
  }
  const whenExited = waitForExit(child).then((exit) => {
    kill() // child processes may outlive it for a moment
    hasExited = true
    connection.end('The browser has exited.')
    return exit
  })
  const whenCleanedUp = whenExited.then(() => removeBrowserHome(home))
  const process: BrowserProcess = {
    pid: child.pid ?? 0,
    flavor: browser.flavor,
    connection,
    whenExited,
    whenCleanedUp,
    kill,
    async [Symbol.asyncDispose]() {
      kill()
      await whenCleanedUp
    },
  }
  try {
    const version = connection.session().send('Browser.getVersion')
    const late = () => new Error(`no response within ${startMsMax / 1000} s`)
    await withDeadline(version, { ms: startMsMax, late })
    return process
  } catch (error) {
    await process[Symbol.asyncDispose]()
    throw new BrowserNotStarted(stderrOf() || String(error))
  }
}

async function waitForExit(child: ChildProcess): Promise<BrowserExit> {
  // A program that cannot be spawned emits `error`, which rejects, and no `exit`.
  const [exitCode = null, signal = null] = await once(child, 'exit').catch(() => [])
  return { exitCode, signal }
}

function collectStderr(child: ChildProcess): () => string {
  let stderr = ''
  child.on('error', (error) => {
    stderr += error.message
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-stderrCharactersMax)
  })
  return () => stderr
}

/**
 * Passes none of our environment variables: a compromised browser must not find our secrets. With a
 * PATH that leads nowhere a full browser starts no mail program for a link of a page; a script that
 * starts the browser may need the usual one.
 */
export const environmentFor = (
  browser: Pick<LaunchableBrowser, 'libraryPath' | 'fontConfig'>,
  { home, isScript }: { home: string; isScript: boolean },
): Record<string, string> => ({
  HOME: home,
  TMPDIR: home,
  ...(!isScript && { PATH: '/nonexistent' }),
  ...(browser.libraryPath && { LD_LIBRARY_PATH: browser.libraryPath }),
  ...(browser.fontConfig && { FONTCONFIG_FILE: browser.fontConfig }),
})

async function sharedMemoryBytes(): Promise<number> {
  try {
    const { blocks, bsize } = await statfs('/dev/shm')
    return blocks * bsize
  } catch {
    return 0
  }
}

function killProcessGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, constants.signals.SIGKILL)
  } catch {
    // The whole group has ended already.
  }
}

/** Tries the next mode only when the browser has failed to set up its sandbox, and says why it has. */
export async function launchWithFallback<Started>(
  modes: readonly LaunchMode[],
  start: (mode: LaunchMode) => Promise<Started>,
) {
  const reasons = new Set<string>()
  for (const mode of modes) {
    try {
      return { started: await start(mode), mode, failures: [...reasons] }
    } catch (error) {
      reasons.add(explainLaunch(error instanceof Error ? error.message : String(error), mode))
      if (!(error instanceof BrowserNotStarted && error.lacksSandbox)) break
    }
  }
  throw new BrowserNotStarted([...reasons].join(' '))
}
