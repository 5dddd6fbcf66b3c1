import { closeSync, fsyncSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../runtime/files/make-folder.ts'
import type { Log } from '../runtime/log.ts'

const prefix = 'unreleased-leases.'
const processIdPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The processes whose leases are to be released, by their marks in the data folder. */
export type LeaseMarks = ReturnType<typeof readLeaseMarks>

/**
 * A process that stops while the store is away leaves a mark with its id, and the next one that starts on the
 * folder releases its leases. Without the mark that stop would look like a crash. It is an empty file, so it
 * is made at once or not at all, even on a full disk. A mark that outlives its leases harms nothing.
 */
export function readLeaseMarks(dataDir: string, log: Log) {
  const processIds = listMarks(dataDir, log)
  return {
    processIds,
    /** Marks this process, which stops and cannot release its leases. */
    keep(processId: string) {
      try {
        makeFolder(dataDir)
        closeSync(openSync(markOf(processId), 'a', 0o600))
        syncFolder(dataDir)
      } catch (error) {
        log.warn(
          { err: error, processId },
          'Failed to note that the leases of this process are not released; they will run out and count as crashes.',
        )
      }
    },
    /** The leases of the listed processes are released, so their marks are removed. */
    released() {
      for (const processId of processIds) removeMark(markOf(processId), log)
    },
  }

  function markOf(processId: string): string {
    return join(dataDir, `${prefix}${processId}`)
  }
}

function listMarks(dataDir: string, log: Log): string[] {
  const marks = listFolder(dataDir, log).filter((name) => name.startsWith(prefix))
  const processIds = marks.map((name) => name.slice(prefix.length))
  for (const processId of processIds) {
    if (processIdPattern.test(processId)) continue
    const mark = join(dataDir, `${prefix}${processId}`)
    log.warn({ mark }, 'Removing a mark of unreleased leases that names no process.')
    removeMark(mark, log)
  }
  return processIds.filter((processId) => processIdPattern.test(processId))
}

function listFolder(path: string, log: Log): string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    // With PostgreSQL there need not be a folder.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    log.warn({ err: error }, 'Failed to look for marks of unreleased leases in the data folder.')
    return []
  }
}

function removeMark(path: string, log: Log): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    log.warn({ err: error, mark: path }, 'Failed to remove a mark of unreleased leases.')
  }
}

function syncFolder(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
