import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunCommand } from './run-command.ts'
import { unpackPackages } from './unpack-packages.ts'
import {
  type UnpackedBrowser,
  unpackedBrowserFolder,
  unpackedBrowserRecord,
} from './unpacked-browser.ts'

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
