import { accessSync, constants, mkdirSync, statSync } from 'node:fs'

/** The folder cannot be made or written to; `message` says what to do. */
export class DataFolderUnusable extends Error {}

/** Makes the folder that holds everything the embedded mode keeps; nobody else may look into it. */
export function prepareDataFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new DataFolderUnusable(
      `Cannot write to ${path}${ownerNote(path)}. Fix the owner or set TRAWL_DATA_DIR.`,
      { cause: error },
    )
  }
}

function ownerNote(path: string): string {
  const owner = statSync(path, { throwIfNoEntry: false })?.uid
  const own = process.getuid?.()
  if (owner === undefined || own === undefined || owner === own) return ''
  return ` (owner ${owner === 0 ? 'root' : `uid ${owner}`}, you are uid ${own})`
}
