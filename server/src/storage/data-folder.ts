import { accessSync, constants, statSync } from 'node:fs'
import { makeFolder } from '../runtime/files/make-folder.ts'

/** The data folder cannot be created or written to; `message` says what to do. */
export class DataFolderUnusable extends Error {}

/** Creates the folder that holds all data of the embedded mode; other users cannot read it. */
export function prepareDataFolder(path: string): void {
  try {
    makeFolder(path)
    if (!statSync(path).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' })
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new DataFolderUnusable(`Cannot write to ${path}${noteOf(path, code)}`, { cause: error })
  }
}

const whyNot: Record<string, string> = {
  EACCES: 'it, or a folder above it, may not be entered or written',
  EPERM: 'the system does not allow it',
  EEXIST: 'something that is not a folder has this name',
  ENOTDIR: 'something that is not a folder has this name',
  ENOENT: 'no folder can be made there',
  EROFS: 'the volume is read-only',
  ENOSPC: 'the volume is full',
  ELOOP: 'symbolic links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
}

function noteOf(path: string, code: string): string {
  const owners = code === 'EACCES' ? ownersOf(path) : undefined
  if (owners) return ` (${owners}). Fix the owner or set TRAWL_DATA_DIR.`
  return ` (${whyNot[code] ?? code}). Choose another folder: set TRAWL_DATA_DIR.`
}

/** Undefined if this process owns the folder or the owner is unknown. */
function ownersOf(path: string): string | undefined {
  const own = process.getuid?.()
  const owner = findOwner(path)
  if (owner === undefined || own === undefined || owner === own) return undefined
  return `owner ${owner === 0 ? 'root' : `uid ${owner}`}, you are uid ${own}`
}

function findOwner(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.uid
  } catch {
    return undefined // a folder above it may not be entered
  }
}
