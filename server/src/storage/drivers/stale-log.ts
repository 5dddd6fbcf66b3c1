import { readFileSync, renameSync } from 'node:fs'
import { removeStaleDrafts, replaceFile } from '../../runtime/files/atomic-write.ts'
import type { Log } from '../../runtime/log.ts'
import { StoreRefused } from '../outages/store-refused.ts'
import { lastingIdentity } from './file-identity.ts'

/** The write-ahead log. */
export const logOf = (file: string): string => `${file}-wal`

/**
 * SQLite applies a write-ahead log to whatever file has the name of its database, and nothing in either says
 * that they belong together: after a replacement of the file, the log of the former one would corrupt it. So
 * this notes beside them which two belong together.
 */
export function rememberLog(file: string): void {
  const log = lastingIdentity(logOf(file))
  const note = `${lastingIdentity(file)}\n${log}\n`
  if (log === undefined || note === readNote(file)) return
  try {
    replaceFile(noteOf(file), note)
  } catch {
    // A full disk must not end the service. The old note names another log, so that nothing follows from it.
  }
}

/** To be called before the file is opened: renames a log that belongs to the former file of this name. */
export function setStaleLogAside(file: string, log: Log): void {
  removeStaleDrafts(noteOf(file))
  const [database, itsLog] = readNote(file)?.split('\n') ?? []
  const isReplaced = database !== undefined && database !== lastingIdentity(file)
  if (!isReplaced || itsLog !== lastingIdentity(logOf(file))) return
  const suffix = `.replaced-${new Date().toISOString().replaceAll(':', '')}`
  // The log comes last: if this is killed before, the next start finds it and does all of this again.
  for (const path of [`${file}-shm`, logOf(file)]) rename(path, `${path}${suffix}`)
  log.warn(
    { file, setAside: `${logOf(file)}${suffix}` },
    'The file of the store was replaced by another one. The write-ahead log of the former file was set aside, as it would corrupt this one. Remove it, unless the former file is to come back.',
  )
}

const noteOf = (file: string): string => `${file}-log-owner`

function readNote(file: string): string | undefined {
  try {
    return readFileSync(noteOf(file), 'utf8')
  } catch {
    return undefined
  }
}

function rename(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw new StoreRefused(
      `${from} belongs to a former file of the store and cannot be set aside. Remove it, and start again.`,
      { cause: error },
    )
  }
}
