import { accessSync, constants } from 'node:fs'
import { readSystemFile } from '../../runtime/machine/read-system-file.ts'
import type { BrowserSearch, WantedBrowser } from './browser-candidates.ts'
import { type Machine, parseOsRelease } from './plan-browser-install.ts'
import { readUnpackedBrowser, readUnpackedBrowserAt } from './unpack-browser.ts'

/** Searched when PATH is not given: the folders in which packages install their commands. */
const usualFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin']

export function searchThisMachine(where: {
  settings: WantedBrowser
  dataDir: string
  pathFolders?: readonly string[] | undefined
}): BrowserSearch {
  return {
    settings: where.settings,
    platform: process.platform,
    pathFolders: where.pathFolders?.filter(Boolean) ?? usualFolders,
    unpacked: where.settings.path
      ? readUnpackedBrowserAt(where.settings.path)
      : readUnpackedBrowser(where.dataDir),
  }
}

export function describeThisMachine(): Machine {
  return {
    platform: process.platform,
    osRelease: parseOsRelease(readSystemFile('/etc/os-release')),
    isRoot: process.getuid?.() === 0,
    hasApt: isExecutable('/usr/bin/apt-get') && isExecutable('/usr/bin/dpkg-deb'),
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
