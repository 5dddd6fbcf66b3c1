import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunCommand } from './run-command.ts'

/**
 * Installs Debian packages without root: apt downloads them, and those that they need and the machine
 * lacks, into `work`; dpkg-deb unpacks them into the folder that is returned.
 */
export async function unpackPackages(
  packages: readonly string[],
  work: string,
  run: RunCommand,
): Promise<string> {
  const root = join(work, 'root')
  const downloads = join(work, 'downloads')
  for (const folder of [root, downloads, `${work}/lists/partial`, `${work}/archives/partial`]) {
    await mkdir(folder, { recursive: true })
  }
  await download(packages, { work, downloads }, run)
  for (const file of await readdir(downloads)) {
    await mustSucceed(run('dpkg-deb', ['--extract', join(downloads, file), root]), `unpack ${file}`)
  }
  return root
}

async function download(
  packages: readonly string[],
  { work, downloads }: { work: string; downloads: string },
  run: RunCommand,
): Promise<void> {
  const settings = [
    `Dir::State::Lists=${work}/lists`,
    `Dir::Cache=${work}`,
    `Dir::Log=${work}`,
    'Debug::NoLocking=1',
    'APT::Sandbox::User=',
  ].flatMap((setting) => ['-o', setting])

  // The update may fail in hooks that only root can run. The next step fails if the lists are missing.
  await run('apt-get', [...settings, '-qq', 'update'])
  const simulation = await mustSucceed(
    run('apt-get', [...settings, ...simulated, 'install', ...packages]),
    `find ${packages.join(', ')}`,
  )
  const missing = packagesToInstall(simulation.stdout)
  await mustSucceed(
    run('apt-get', [...settings, '-qq', 'download', ...missing], downloads),
    'download the packages',
  )
}

const simulated = ['--simulate', '--no-install-recommends', '--reinstall']

/** The packages that a simulated installation would add: lines such as `Inst libopus0 (1.3 …)`. */
export const packagesToInstall = (simulation: string): string[] =>
  [...simulation.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name ?? '')

async function mustSucceed<Result extends { isDone: boolean }>(
  command: Promise<Result>,
  purpose: string,
): Promise<Result> {
  const result = await command
  if (!result.isDone) throw new Error(`could not ${purpose}`)
  return result
}
