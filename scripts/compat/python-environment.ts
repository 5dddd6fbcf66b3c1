import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, runCommand } from './command.ts'
import { CompatProblem } from './compat-problem.ts'

interface EnvironmentPaths {
  requirementsPath: string
  cacheDir: string
}

/**
 * Creates a virtual environment with exactly the packages of the requirements, and caches it until they
 * or Python change. Returns the path of its interpreter.
 */
export async function ensurePythonEnvironment(
  { requirementsPath, cacheDir }: EnvironmentPaths,
  signal: AbortSignal,
): Promise<string> {
  const identity = await requirePython(signal)
  const requirements = await readFile(requirementsPath, 'utf8')
  const hash = createHash('sha256').update(`${requirements}\n${identity}`).digest('hex')
  const folder = join(cacheDir, hash.slice(0, 16))
  if (!existsSync(folder)) await makeEnvironment(folder, requirementsPath, signal)
  return interpreterIn(folder)
}

const interpreterIn = (folder: string): string => join(folder, 'bin', 'python')

const probeTimeoutMs = 30_000
const probe = `
import json, platform, sys
from importlib.util import find_spec
print(json.dumps({
    "version": sys.version_info[:3],
    "identity": [sys.version, sys.base_prefix, platform.platform()],
    "missing": [name for name in ("venv", "ensurepip") if find_spec(name) is None],
}))`

/** The oldest version that the requirements support; Debian 12 has it. */
const oldestMinor = 11
const howToInstall = 'On Debian: apt install python3 python3-venv.'

/** Returns an identity of the installed Python, so that another version gets its own environment. */
async function requirePython(signal: AbortSignal): Promise<string> {
  const command = { program: 'python3', args: ['-c', probe], timeoutMs: probeTimeoutMs }
  const { exitCode, output } = await runCommand(command, signal).catch((error) => {
    if (error.code !== 'ENOENT') throw error
    throw new CompatProblem(`python3 was not found. ${howToInstall}`)
  })
  if (exitCode !== 0) throw new CompatProblem(`python3 does not run:\n${output}`)

  const { version, identity, missing } = JSON.parse(output) as {
    version: [number, number, number]
    identity: string[]
    missing: string[]
  }
  const [major, minor] = version
  if (major !== 3 || minor < oldestMinor) {
    throw new CompatProblem(
      `python3 is ${version.join('.')}, but the clients need 3.${oldestMinor} or newer.`,
    )
  }
  if (missing.length > 0) {
    throw new CompatProblem(`python3 lacks its ${missing.join(' and ')}. ${howToInstall}`)
  }
  return identity.join('\n')
}

const venvTimeoutMs = 60_000
const pipTimeoutMs = 300_000
const pipArguments = [
  'install',
  '--quiet',
  '--no-input',
  '--disable-pip-version-check',
  '--no-deps', // the requirements list all packages
  '--only-binary=:all:',
]

/** Builds in a temporary folder and renames it when complete, so that no run finds a partial one. */
async function makeEnvironment(
  folder: string,
  requirementsPath: string,
  signal: AbortSignal,
): Promise<void> {
  const unfinished = `${folder}.${process.pid}`
  const startedAtMs = performance.now()
  process.stderr.write('[setup] python clients . ')
  try {
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { recursive: true })
    await mustRun('python3 -m venv', {
      program: 'python3',
      args: ['-m', 'venv', unfinished],
      timeoutMs: venvTimeoutMs,
    })
    await mustRun('pip install, which needs PyPI or the index pip is configured for,', {
      program: interpreterIn(unfinished),
      args: ['-m', 'pip', ...pipArguments, '--requirement', requirementsPath],
      timeoutMs: pipTimeoutMs,
    })
    await mustRun('pip check', {
      program: interpreterIn(unfinished),
      args: ['-m', 'pip', 'check', '--disable-pip-version-check'],
      timeoutMs: venvTimeoutMs,
    })
    await renameUnlessPresent(unfinished, folder)
    console.error(`${Math.round((performance.now() - startedAtMs) / 1000)} s`)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }

  async function mustRun(name: string, command: Command): Promise<void> {
    const { exitCode, output } = await runCommand(command, signal)
    if (exitCode !== 0) throw new CompatProblem(`\n${name} failed (exit ${exitCode}):\n${output}`)
  }
}

// The scripts in bin still have the path of the temporary folder, so modules are run by the interpreter.
async function renameUnlessPresent(unfinished: string, folder: string): Promise<void> {
  await rename(unfinished, folder).catch((error) => {
    const wasMadeMeanwhile = ['ENOTEMPTY', 'EEXIST'].includes(error.code)
    if (!wasMadeMeanwhile) throw error
  })
}
