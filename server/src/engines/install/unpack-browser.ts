import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type BrowserCandidate, flavorOf } from './browser-candidates.ts'
import type { RunCommand } from './run-command.ts'

const unfinishedPrefix = 'browser-unfinished-'

/** Installs a browser without root. It is renamed into place once complete, so a crash leaves none. */
export async function unpackBrowser(
  wanted: { packages: readonly string[]; browserPackage: string; dataDir: string },
  run: RunCommand,
): Promise<void> {
  await removeUnfinished(wanted.dataDir)
  const work = await mkdtemp(join(wanted.dataDir, unfinishedPrefix))
  const root = await unpackPackages(wanted.packages, work, run)
  await writeRecord(root, wanted.browserPackage)

  const folder = unpackedBrowserFolder(wanted.dataDir)
  await rm(folder, { recursive: true, force: true })
  await rename(root, folder)
  await removeUnfinished(wanted.dataDir)
}

async function writeRecord(root: string, browserPackage: string): Promise<void> {
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

/** Uses the machine's own fonts and the unpacked ones. */
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

/** The record of an unpacked browser. Paths are relative to its folder, which may be moved. */
interface UnpackedBrowser {
  executable: string
  libraryFolders: string[]
  fontConfig: string
}

const unpackedBrowserFolder = (dataDir: string): string => resolve(dataDir, 'browser')
const unpackedBrowserRecord = 'browser.json'

export const readUnpackedBrowser = (dataDir: string): BrowserCandidate | undefined =>
  readRecord(unpackedBrowserFolder(dataDir))

/** The same browser if a setting names its program, which does not run without its libraries. */
export function readUnpackedBrowserAt(path: string): BrowserCandidate | undefined {
  const browser = readRecord(resolve(path, '../../../..')) // <folder>/usr/lib/chromium/<program>
  return browser?.path === resolve(path) ? browser : undefined
}

function readRecord(folder: string): BrowserCandidate | undefined {
  let record: UnpackedBrowser
  try {
    record = JSON.parse(readFileSync(join(folder, unpackedBrowserRecord), 'utf8'))
  } catch {
    return undefined // there is none, or its installation did not finish
  }
  return {
    path: join(folder, record.executable),
    flavor: flavorOf(record.executable),
    origin: 'data folder',
    libraryPath: record.libraryFolders.map((library) => join(folder, library)).join(':'),
    fontConfig: join(folder, record.fontConfig),
  }
}

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
