import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, open, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename } from 'node:path'
import type { BrowserCandidate } from './browser-candidates.ts'
import { describeMissingLibraries, missingLibraries } from './missing-libraries.ts'

/** A browser that printed its version. */
export interface FoundBrowser extends BrowserCandidate {
  version: string
  major: number
}

export type BrowserCheck =
  | { outcome: 'works'; browser: FoundBrowser }
  | { outcome: 'absent' }
  | { outcome: 'rejected'; reason: string }

const oldestMajor = 120
const versionTimeoutMs = 5_000

/** Checks that a candidate exists and runs: Ubuntu has a file that only asks for a snap. */
export async function checkBrowser(
  candidate: BrowserCandidate,
  platform: NodeJS.Platform,
): Promise<BrowserCheck> {
  const path = await resolveWrapper(candidate.path)
  if (!path || !(await isExecutable(path))) return { outcome: 'absent' }
  const name = basename(candidate.path)
  // On Windows `--version` opens a window.
  if (platform === 'win32')
    return works(candidate, path, { version: 'unknown', major: oldestMajor })

  if (isForOtherCpu(await firstBytes(path), process.arch)) {
    return rejected(`Found ${name} but it is made for another CPU. Skipped.`)
  }
  const output = await runVersion(path, candidate.libraryPath)
  const version = /\d+(\.\d+){3}/.exec(output.stdout)?.[0]
  if (!version) return rejected(await explainFailure(name, path, candidate, output))

  const major = Number.parseInt(version, 10)
  return major >= oldestMajor
    ? works(candidate, path, { version, major })
    : rejected(`Found ${name} ${version} but ${oldestMajor} or newer is needed. Skipped.`)
}

const rejected = (reason: string): BrowserCheck => ({ outcome: 'rejected', reason })
const works = (
  candidate: BrowserCandidate,
  path: string,
  version: { version: string; major: number },
): BrowserCheck => ({ outcome: 'works', browser: { ...candidate, path, ...version } })

/** Shell scripts around the real program; signals and the sandbox need the program itself. */
const programOfWrapper: Record<string, string> = {
  '/usr/bin/chromium': '/usr/lib/chromium/chromium',
  '/usr/bin/chromium-headless-shell': '/usr/lib/chromium/chromium-headless-shell',
  '/opt/google/chrome/google-chrome': '/opt/google/chrome/chrome',
  '/opt/microsoft/msedge/microsoft-edge': '/opt/microsoft/msedge/msedge',
}

async function resolveWrapper(path: string): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined)
  const program = real && programOfWrapper[real]
  // A snap's command is a link to `snap`, which chooses the program by the link's name.
  if (real && basename(real) === 'snap') return path
  return program && (await isExecutable(program)) ? program : real
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

async function firstBytes(path: string): Promise<Buffer> {
  await using file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(20), 0, 20, 0)
  return buffer
}

/** Whether the file starts another program, as a distribution's wrapper does. */
export async function isScript(path: string): Promise<boolean> {
  const start = await firstBytes(path).catch(() => Buffer.alloc(0))
  return start.toString('latin1').startsWith('#!')
}

const elfMachines: Record<number, NodeJS.Architecture> = { 62: 'x64', 183: 'arm64' }

/** Whether this is an ELF file for another processor. Other files, such as scripts, pass. */
export function isForOtherCpu(start: Buffer, arch: NodeJS.Architecture): boolean {
  const isElf = start.length >= 20 && start.readUInt32BE(0) === 0x7f454c46
  return isElf && elfMachines[start.readUInt16LE(18)] !== arch
}

interface VersionOutput {
  stdout: string
  stderr: string
  hasTimedOut: boolean
}

async function runVersion(
  path: string,
  libraryPath: string | undefined,
  environment: Record<string, string> = {},
): Promise<VersionOutput> {
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: tmpdir(),
    ...(libraryPath && { LD_LIBRARY_PATH: libraryPath }),
    ...environment,
  }
  return await new Promise((resolve) => {
    const options = { env, timeout: versionTimeoutMs, killSignal: 'SIGKILL' } as const
    execFile(path, ['--version'], options, (error, stdout, stderr) =>
      resolve({
        stdout,
        stderr: stderr || String(error ?? ''),
        hasTimedOut: error?.killed ?? false,
      }),
    )
  })
}

async function explainFailure(
  name: string,
  path: string,
  { libraryPath }: BrowserCandidate,
  { stderr, stdout, hasTimedOut }: VersionOutput,
): Promise<string> {
  const firstMissing = /error while loading shared libraries: ([^:\s]+)/.exec(stderr)?.[1]
  if (firstMissing) {
    // The loader names only the first missing library; with this variable it lists them all.
    const traced = await runVersion(path, libraryPath, { LD_TRACE_LOADED_OBJECTS: '1' })
    const all = missingLibraries(traced.stdout)
    return describeMissingLibraries(all.length > 0 ? all : [firstMissing])
  }
  const cause = hasTimedOut
    ? `no output within ${versionTimeoutMs / 1000} s`
    : firstSentence(stderr || stdout)
  return `Found ${name} but "--version" failed: ${cause}. Skipped.`
}

/** Drops the "Command '…'" of Ubuntu's stub, because our message names the program already. */
function firstSentence(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? 'it printed nothing'
  return line
    .trim()
    .replace(/^Command '[^']*' /, '')
    .replace(/\.$/, '')
}
