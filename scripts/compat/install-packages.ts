import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cachedFolder } from './cached-folder.ts'
import { mustRun } from './command.ts'

const timeoutMs = 600_000
const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund']

/**
 * Installs packages that are no dependencies of this repository into the cache, unless they are there.
 * Returns their `node_modules`.
 */
export async function installPackages(
  { name, packages, cacheDir }: { name: string; packages: string[]; cacheDir: string },
  signal: AbortSignal,
): Promise<string> {
  const place = { cacheDir, name, contents: packages.join('\n') }
  const folder = await cachedFolder(place, async (unfinished) => {
    await writeFile(join(unfinished, 'package.json'), '{"private":true}')
    const args = ['install', '--prefix', unfinished, ...options, ...packages]
    await mustRun('npm install', { program: 'npm', args, timeoutMs, signal })
  })
  return join(folder, 'node_modules')
}
