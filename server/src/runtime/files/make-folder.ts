import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and its missing parents, for this user only. It does not use `mkdir` with `recursive`:
 * for a folder that can never be made, as below /proc, Node retries for ever, and no signal ends it.
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

/** The topmost folder first. */
function missingFolders(path: string): string[] {
  const exists = statSync(path, { throwIfNoEntry: false }) !== undefined
  return exists || dirname(path) === path ? [] : [...missingFolders(dirname(path)), path]
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
