import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from './command.ts'
import { CompatProblem } from './compat-problem.ts'

const installTimeoutMs = 600_000
const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund']

/**
 * Installs packages that are no dependencies of this repository into the cache, unless they are there.
 * Returns their `node_modules`.
 */
export async function installPackages(
  { name, packages, cacheDir }: { name: string; packages: string[]; cacheDir: string },
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256').update(packages.join('\n')).digest('hex')
  const folder = join(cacheDir, `${name}-${hash.slice(0, 16)}`)
  if (!existsSync(folder)) await fill(folder, packages, signal)
  return join(folder, 'node_modules')
}

/** Installs in a temporary folder and renames it when complete, so that no run finds a partial one. */
async function fill(folder: string, packages: string[], signal: AbortSignal): Promise<void> {
  const unfinished = `${folder}.${process.pid}`
  await mkdir(unfinished, { recursive: true })
  await writeFile(join(unfinished, 'package.json'), '{"private":true}')
  const { exitCode, output } = await runCommand(
    {
      program: 'npm',
      args: ['install', '--prefix', unfinished, ...options, ...packages],
      timeoutMs: installTimeoutMs,
    },
    signal,
  )
  if (exitCode === 0) return await rename(unfinished, folder)
  await rm(unfinished, { recursive: true, force: true })
  throw new CompatProblem(`npm could not install ${packages.join(', ')}:\n${output}`)
}
