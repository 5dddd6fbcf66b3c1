import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunCommand } from './run-command.ts'
import {
  type UnpackedBrowser,
  unpackedBrowserFolder,
  unpackedBrowserRecord,
} from './unpacked-browser.ts'

const unfinishedPrefix = 'browser-unfinished-'

/**
 * Brings a browser without root: apt works in folders of our own, the packages that the machine
 * lacks are unpacked, and the whole is renamed into place when it is complete.
 */
export async function unpackBrowser(
  wanted: { packages: readonly string[]; browserPackage: string; dataDir: string },
  run: RunCommand,
): Promise<void> {
  await removeUnfinished(wanted.dataDir)
  const work = await mkdtemp(join(wanted.dataDir, unfinishedPrefix))
  const root = join(work, 'root')
  const downloads = join(work, 'downloads')
  for (const folder of [root, downloads, `${work}/lists/partial`, `${work}/archives/partial`]) {
    await mkdir(folder, { recursive: true })
  }

  await download(wanted.packages, { work, downloads }, run)
  for (const file of await readdir(downloads)) {
    await mustSucceed(run('dpkg-deb', ['--extract', join(downloads, file), root]), `unpack ${file}`)
  }
  await describe(root, wanted.browserPackage)

  const place = unpackedBrowserFolder(wanted.dataDir)
  await rm(place, { recursive: true, force: true })
  await rename(root, place)
  await removeUnfinished(wanted.dataDir)
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

  // Hooks that only root can run may fail here; whether the lists came is seen in the next step.
  await run('apt-get', [...settings, '-qq', 'update'])
  const simulation = await mustSucceed(
    run('apt-get', [...settings, '--simulate', '--no-install-recommends', 'install', ...packages]),
    `find ${packages.join(', ')}`,
  )
  const missing = packagesToInstall(simulation.stdout)
  await mustSucceed(
    run('apt-get', [...settings, '-qq', 'download', ...missing], downloads),
    'download the packages',
  )
}

/** The packages that a simulated installation would add: lines such as `Inst libopus0 (1.3 …)`. */
export const packagesToInstall = (simulation: string): string[] =>
  [...simulation.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name ?? '')

async function describe(root: string, browserPackage: string): Promise<void> {
  const browser: UnpackedBrowser = {
    executable: `usr/lib/chromium/${browserPackage}`,
    libraryFolders: await libraryFolders(root),
    fontConfig: 'fonts.conf',
  }
  await writeFile(join(root, browser.fontConfig), fontConfig)
  await writeFile(join(root, unpackedBrowserRecord), JSON.stringify(browser, undefined, 2))
}

async function libraryFolders(root: string): Promise<string[]> {
  const folders: string[] = []
  for (const parent of ['usr/lib', 'lib']) {
    const names = await readdir(join(root, parent)).catch(() => [])
    const triplets = names.filter((name) => name.endsWith('-linux-gnu'))
    folders.push(
      ...triplets.flatMap((name) => [`${parent}/${name}`, `${parent}/${name}/pulseaudio`]),
    )
  }
  return folders
}

/** The machine's own fonts, and beside them those that were unpacked. */
const fontConfig = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <include ignore_missing="yes" prefix="relative">etc/fonts/conf.d</include>
  <dir>/usr/share/fonts</dir>
  <dir prefix="relative">usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`

async function removeUnfinished(dataDir: string): Promise<void> {
  const names = await readdir(dataDir)
  for (const name of names.filter((candidate) => candidate.startsWith(unfinishedPrefix))) {
    await rm(join(dataDir, name), { recursive: true, force: true })
  }
}

async function mustSucceed<Result extends { isDone: boolean }>(
  command: Promise<Result>,
  purpose: string,
): Promise<Result> {
  const result = await command
  if (!result.isDone) throw new Error(`could not ${purpose}`)
  return result
}
