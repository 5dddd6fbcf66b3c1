import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and those above it that are missing, for this user alone. `mkdir` with `recursive` is
 * not used: where the system answers that a folder can never be made, as below /proc, Node's version
 * tries again for ever, and no signal ends it.
 */
export function makeFolder(path: string): void {
  for (const folder of missingFolders(resolve(path))) {
    try {
      mkdirSync(folder, { mode: 0o700 })
    } catch (error) {
      if (!isFolder(folder)) throw error // otherwise another process has just made it
    }
  }
}

/** From the topmost one down. */
function missingFolders(path: string): string[] {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined
  return isThere || dirname(path) === path ? [] : [...missingFolders(dirname(path)), path]
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
