import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statfs } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { withDeadline } from '../../../runtime/deadline.ts'
import type { LaunchableBrowser } from '../../install/browser-candidates.ts'
import { CdpConnection } from '../cdp/cdp-connection.ts'
import { makeBrowserHome, nobody, removeBrowserHome } from './browser-home.ts'
import { launchArguments } from './launch-arguments.ts'
import type { LaunchMode } from './launch-modes.ts'

/** Chromium with all its processes. Disposing leaves no process and no file behind. */
export interface BrowserProcess extends AsyncDisposable {
  readonly pid: number
  readonly connection: CdpConnection
  /** Resolves once it has ended, by itself or by us: nothing more can be had of it. */
  readonly whenEnded: Promise<void>
  /** Resolves a moment later, when its folder is gone too. */
  readonly whenGone: Promise<void>
  kill(): void
}

/** It did not start; the message is what it printed. */
export class BrowserNotStarted extends Error {
  /** What it lacks is its sandbox. One that ended for another reason may well start the next time. */
  get lacksSandbox(): boolean {
    return /sandbox|namespace|EACCES/i.test(this.message)
  }
}

const startMsMax = 20_000
const printedKeptMax = 4_096

export async function startBrowserProcess(
  browser: LaunchableBrowser,
  way: LaunchMode,
): Promise<BrowserProcess> {
  const home = await makeBrowserHome(way)
  const child = spawn(
    browser.path,
    launchArguments({
      flavor: browser.flavor,
      sandbox: way.sandbox,
      profile: join(home, 'profile'),
      sharedMemoryBytes: await sharedMemoryBytes(),
    }),
    {
      cwd: home,
      env: environmentFor(browser, home),
      detached: true, // a process group of its own, to end all of it
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      ...(way.asNobody && nobody),
    },
  )
  const printed = keepPrinted(child)
  const [, , , write, read] = child.stdio as [null, null, Readable, Writable, Readable]
  const connection = new CdpConnection({ write, read })
  let hasEnded = false
  const kill = () => {
    // Its number may be another's by now.
    if (!hasEnded) endGroup(child.pid)
  }
  const whenEnded = untilEnded(child).then(() => {
    kill() // its children may outlive it for a moment
    hasEnded = true
    connection.end('The browser is gone.')
  })
  const whenGone = whenEnded.then(() => removeBrowserHome(home))
  const process: BrowserProcess = {
    pid: child.pid ?? 0,
    connection,
    whenEnded,
    whenGone,
    kill,
    async [Symbol.asyncDispose]() {
      kill()
      await whenGone
    },
  }
  try {
    const answer = connection.session().send('Browser.getVersion')
    const late = () => new Error(`no answer within ${startMsMax / 1000} s`)
    await withDeadline(answer, { ms: startMsMax, late })
    return process
  } catch (error) {
    await process[Symbol.asyncDispose]()
    throw new BrowserNotStarted(printed() || String(error))
  }
}

function untilEnded(child: ChildProcess): Promise<unknown> {
  // A program that could not be run at all has an error and no exit.
  return Promise.race([once(child, 'exit'), once(child, 'error').catch(() => undefined)]).catch(
    () => undefined,
  )
}

function keepPrinted(child: ChildProcess): () => string {
  let printed = ''
  child.on('error', (error) => {
    printed += error.message
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    printed = (printed + chunk).slice(-printedKeptMax)
  })
  return () => printed
}

/** Nothing of our own environment: a browser that visits strangers must not know our secrets. */
export const environmentFor = (
  browser: Pick<LaunchableBrowser, 'libraryPath' | 'fontConfig'>,
  home: string,
): Record<string, string> => ({
  HOME: home,
  TMPDIR: home,
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

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, constants.signals.SIGKILL)
  } catch {
    // The whole group has ended already.
  }
}
