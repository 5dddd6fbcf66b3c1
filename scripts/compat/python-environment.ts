import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cachedFolder } from './cached-folder.ts'
import { CompatProblem, mustRun, runCommand } from './command.ts'

/**
 * Creates a virtual environment with exactly the packages of the requirements, and caches it until they
 * or Python change. Returns the path of its interpreter.
 */
export async function ensurePythonEnvironment(
  { requirementsPath, cacheDir }: { requirementsPath: string; cacheDir: string },
  signal: AbortSignal,
): Promise<string> {
  const identity = await requirePython(signal)
  const contents = `${await readFile(requirementsPath, 'utf8')}\n${identity}`
  const folder = await cachedFolder({ cacheDir, name: 'python', contents }, (unfinished) =>
    makeEnvironment(unfinished, requirementsPath, signal),
  )
  // The scripts in bin have the path that it was built at, so modules are run by the interpreter.
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
  const command = { program: 'python3', args: ['-c', probe], timeoutMs: probeTimeoutMs, signal }
  const { exitCode, output } = await runCommand(command).catch((error) => {
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

const setupTimeoutMs = 300_000
const pipArguments = [
  'install',
  '--quiet',
  '--no-input',
  '--disable-pip-version-check',
  '--no-deps', // the requirements list all packages
  '--only-binary=:all:',
]

async function makeEnvironment(
  folder: string,
  requirementsPath: string,
  signal: AbortSignal,
): Promise<void> {
  const startedAtMs = performance.now()
  process.stderr.write('[setup] python clients . ')
  const run = (name: string, program: string, ...args: string[]) =>
    mustRun(name, { program, args, timeoutMs: setupTimeoutMs, signal })
  const python = interpreterIn(folder)
  await run('python3 -m venv', 'python3', '-m', 'venv', folder)
  const pip = 'pip install, which needs PyPI or the index pip is configured for,'
  await run(pip, python, '-m', 'pip', ...pipArguments, '--requirement', requirementsPath)
  await run('pip check', python, '-m', 'pip', 'check', '--disable-pip-version-check')
  console.error(`${Math.round((performance.now() - startedAtMs) / 1000)} s`)
}
