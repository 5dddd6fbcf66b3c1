import { spawn } from 'node:child_process'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserFlavor, BrowserSettings } from './browser-candidates.ts'

export interface LaunchableBrowser {
  path: string
  flavor: BrowserFlavor
  libraryPath?: string
  fontConfig?: string
}

export interface BrowserProof {
  ok: boolean
  sandbox: 'on' | 'off'
  detail: string
}

/** One way to start the browser: as whom, and with or without its sandbox. */
export interface LaunchWay {
  asNobody: boolean
  sandbox: 'on' | 'off'
}

const deadlineMs = 20_000
const nobody = { uid: 65534, gid: 65534 } // the same on every Linux we install on

/** Starts the browser and lets it run a script; leaves no process and no file behind. */
export async function proveBrowser(
  browser: LaunchableBrowser,
  { sandbox, isRoot }: { sandbox: BrowserSettings['sandbox']; isRoot: boolean },
): Promise<BrowserProof> {
  const complaints: string[] = []
  for (const way of waysToLaunch({ sandbox, isRoot })) {
    const rendering = await render(browser, way)
    if (rendering.isDone) {
      const detail = [...new Set(complaints), 'A page was rendered.'].join(' ')
      return { ok: true, sandbox: way.sandbox, detail }
    }
    complaints.push(explainLaunch(rendering.stderr, way))
  }
  return { ok: false, sandbox: 'off', detail: [...new Set(complaints)].join(' ') }
}

/** As root the sandbox may be given up, and is reported; an ordinary user decides that himself. */
export function waysToLaunch({
  sandbox,
  isRoot,
}: {
  sandbox: BrowserSettings['sandbox']
  isRoot: boolean
}): LaunchWay[] {
  const guarded: LaunchWay = { asNobody: isRoot, sandbox: 'on' }
  const open: LaunchWay[] = isRoot
    ? [
        { asNobody: true, sandbox: 'off' },
        { asNobody: false, sandbox: 'off' },
      ]
    : [{ asNobody: false, sandbox: 'off' }]
  const ways = { require: [guarded], off: open, auto: isRoot ? [guarded, ...open] : [guarded] }
  return ways[sandbox]
}

const expected = '<p>42</p>'
const page = 'data:text/html,<body><script>document.body.innerHTML="<p>"+6*7+"</p>"</script>'

async function render(
  browser: LaunchableBrowser,
  way: LaunchWay,
): Promise<{ isDone: boolean; stderr: string }> {
  const home = await mkdtemp(join(tmpdir(), 'trawl-browser-'))
  try {
    if (way.asNobody) await chown(home, nobody.uid, nobody.gid)
    const { stdout, stderr } = await run(browser, home, way)
    return { isDone: stdout.includes(expected), stderr }
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}

function run(
  browser: LaunchableBrowser,
  home: string,
  way: LaunchWay,
): Promise<{ stdout: string; stderr: string }> {
  const child = spawn(browser.path, argumentsFor(browser.flavor, home, way), {
    cwd: home,
    env: environmentFor(browser, home),
    detached: true, // a process group of its own, to end all of it
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(way.asNobody && nobody),
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const deadline = setTimeout(() => {
    stderr += `no page within ${deadlineMs / 1000} s`
    endGroup(child.pid)
  }, deadlineMs)

  return new Promise((resolve) => {
    child.once('error', (error) => {
      stderr += error.message
    })
    child.once('exit', () => endGroup(child.pid)) // its children may outlive it for a moment
    child.once('close', () => {
      clearTimeout(deadline)
      resolve({ stdout, stderr })
    })
  })
}

const argumentsFor = (flavor: BrowserFlavor, home: string, { sandbox }: LaunchWay): string[] => [
  ...(flavor === 'chrome' ? ['--headless'] : []),
  ...(sandbox === 'off' ? ['--no-sandbox'] : []),
  `--user-data-dir=${join(home, 'profile')}`,
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-breakpad',
  '--no-first-run',
  '--dump-dom',
  page,
]

/** Nothing of our own environment: a browser that visits strangers must not know our secrets. */
export const environmentFor = (
  browser: Pick<LaunchableBrowser, 'libraryPath' | 'fontConfig'>,
  home: string,
): Record<string, string> => ({
  HOME: home,
  ...(browser.libraryPath && { LD_LIBRARY_PATH: browser.libraryPath }),
  ...(browser.fontConfig && { FONTCONFIG_FILE: browser.fontConfig }),
})

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, constants.signals.SIGKILL)
  } catch {
    // The whole group has ended already.
  }
}

/** What a person reads when a browser did not start. */
export function explainLaunch(stderr: string, way: LaunchWay): string {
  const who = way.asNobody ? ' as nobody' : ''
  const how = way.sandbox === 'on' ? 'with its sandbox' : 'without its sandbox'
  if (stderr.includes('No usable sandbox')) {
    return (
      `Chromium${who} found no usable sandbox: user namespaces are not allowed here. ` +
      'Fix: add an AppArmor profile for it (or a seccomp profile to the container), ' +
      'or set TRAWL_BROWSER_SANDBOX=off.'
    )
  }
  if (way.asNobody && stderr.includes('EACCES')) {
    return 'The user nobody cannot reach Chromium: let others enter the folders above it.'
  }
  const lastLine = stderr.trim().split('\n').at(-1) || 'it printed nothing'
  return `Chromium${who} did not start ${how}: ${lastLine}.`
}
