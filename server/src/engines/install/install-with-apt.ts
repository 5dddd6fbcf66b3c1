import type { RunCommand } from './run-command.ts'

const options = ['-o', 'DPkg::Lock::Timeout=60', '--yes', '--no-install-recommends']

/** Installs packages system-wide; it updates the package lists only if they are missing or too old. */
export async function installWithApt(packages: readonly string[], run: RunCommand): Promise<void> {
  const simulation = await run('apt-get', ['install', '--simulate', ...options, ...packages])
  if (!simulation.isDone) await run('apt-get', ['update', ...options.slice(0, 2)])

  const install = () => run('apt-get', ['install', ...options, ...packages])
  if ((await install()).isDone) return
  // Old lists name package files that the mirrors no longer have.
  await run('apt-get', ['update', ...options.slice(0, 2)])
  if (!(await install()).isDone) throw new Error(`apt-get could not install ${packages.join(', ')}`)
}
