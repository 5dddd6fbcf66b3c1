import { execFile } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { existsSync } from 'node:fs'
import { readdir, stat, statfs } from 'node:fs/promises'
import { dirname, extname, resolve } from 'node:path'
import { promisify } from 'node:util'

/** Checks of this machine, for `trawl doctor` and for the operator of a running service. */
export interface CheckVerdict {
  status: 'ok' | 'warning' | 'broken'
  detail: string
  /** What a person can do about it. */
  fix?: string
}

export interface NamedCheck extends CheckVerdict {
  name: string
}

type RunningChecks = Record<string, CheckVerdict | Promise<CheckVerdict>>

/** Waits for all of them; the order stays. */
export const nameChecks = (running: RunningChecks): Promise<NamedCheck[]> =>
  Promise.all(
    Object.entries(running).map(async ([name, verdict]) => ({ name, ...(await verdict) })),
  )

/** What every process needs; it takes no time. */
export const checkMachine = ({ dataDir, nowMs }: { dataDir: string; nowMs: number }) => ({
  node: checkNode(process.version),
  disk: checkDisk(dataDir),
  clock: checkClock(nowMs),
})

/** What Chromium needs of the machine. */
export const checkPages = () => ({
  'shared memory': checkSharedMemory(),
  fonts: checkFonts(process.platform),
})

const mebibyte = 1024 * 1024
export const ok = (detail: string): CheckVerdict => ({ status: 'ok', detail })
const withFix =
  (status: CheckVerdict['status']) =>
  (detail: string, fix: string): CheckVerdict => ({ status, detail, fix })
export const warning = withFix('warning')
export const broken = withFix('broken')

export function checkNode(version: string): CheckVerdict {
  const isNewEnough = Number.parseInt(version.replace('v', ''), 10) >= 24
  return isNewEnough ? ok(version) : broken(version, 'Install Node 24 or newer.')
}

export async function checkNpm(): Promise<CheckVerdict> {
  try {
    const { stdout } = await promisify(execFile)('npm', ['--version'], { timeout: 10_000 })
    return ok(stdout.trim())
  } catch {
    return warning('npm is not on PATH', 'Install npm; updates of the dependencies need it.')
  }
}

async function checkSharedMemory(folder = '/dev/shm'): Promise<CheckVerdict> {
  if (!existsSync(folder)) return ok(`${folder} is not used on this system`)
  const { blocks, bsize } = await statfs(folder)
  const size = Math.round((blocks * bsize) / mebibyte)
  if (size >= 512) return ok(`${folder} has ${size} MB`)
  return warning(
    `${folder} has ${size} MB; Chromium uses files instead, which is slower`,
    'In Docker: --shm-size=1g',
  )
}

const fontFolders = ['/usr/share/fonts', '/usr/local/share/fonts']
const fontEndings = new Set(['.ttf', '.otf', '.ttc', '.pfb'])

export async function checkFonts(
  platform: NodeJS.Platform,
  folders: readonly string[] = fontFolders,
): Promise<CheckVerdict> {
  if (platform !== 'linux') return ok("the system's own")
  const names = await Promise.all(
    folders.map((folder) => readdir(folder, { recursive: true }).catch(() => [])),
  )
  const count = names.flat().filter((name) => fontEndings.has(extname(name))).length
  if (count > 0) return ok(`font files: ${count}`)
  return warning(
    'no fonts: screenshots show boxes instead of letters',
    'On Debian: sudo apt install fonts-liberation fonts-noto-color-emoji',
  )
}

export async function checkDns(name: string, servers: readonly string[]): Promise<CheckVerdict> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  const addresses = resolver.getServers().join(', ')
  try {
    await resolver.resolve4(name)
    return ok(`${addresses} responds`)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return warning(
      `${addresses} did not resolve ${name} (${code})`,
      'Check the network, or set TRAWL_DNS_SERVERS.',
    )
  }
}

async function checkDisk(dataDir: string): Promise<CheckVerdict> {
  const { bavail, blocks, bsize } = await statfs(nearestFolder(resolve(dataDir)))
  const free = Math.round((bavail * bsize) / mebibyte)
  const share = Math.round((bavail / blocks) * 100)
  const detail = `${free} MB free (${share} %) for ${dataDir}`
  const fix = 'Free some space, or set TRAWL_DATA_DIR to a larger disk.'
  if (free < 200) return broken(detail, fix)
  return free < 2_000 || share < 5 ? warning(detail, fix) : ok(detail)
}

const nearestFolder = (path: string): string =>
  existsSync(path) ? path : nearestFolder(dirname(path))

/** A clock that is behind our own sources is wrong for certain; others need a clock to compare with. */
export async function checkClock(nowMs: number): Promise<CheckVerdict> {
  const { mtimeMs } = await stat(import.meta.filename)
  const now = new Date(nowMs).toISOString()
  const dayMs = 86_400_000
  if (nowMs + dayMs > mtimeMs) return ok(now)
  return broken(`${now} is in the past`, 'Set the clock; signatures and certificates depend on it.')
}
