import { closeSync, fsyncSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../runtime/files/make-folder.ts'
import type { Log } from '../runtime/log.ts'

const prefixes = { unreleased: 'unreleased-leases.', stopping: 'stopping.' }
type Kind = keyof typeof prefixes

const processIdPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The processes that stopped before they released their leases, by their marks in the data folder. */
export type LeaseMarks = ReturnType<typeof readLeaseMarks>

/**
 * A process leaves a mark with its id while it stops, and another one if it cannot release its leases because the
 * store is away. Without the marks such a stop would look like a crash to the next process on the folder. They are
 * empty files, so each is made at once or not at all, even on a full disk. A mark that outlives its leases harms
 * nothing.
 */
export function readLeaseMarks(dataDir: string, log: Log) {
  /** They have ended, so their leases can be released. */
  const processIds = listMarks(dataDir, 'unreleased', log)
  /** They were killed while they stopped, or stop still: their leases run out, which is no crash. */
  const stoppingIds = listMarks(dataDir, 'stopping', log)
  return {
    processIds,
    stoppingIds,
    /** Marks this process, which begins to stop. */
    stopping: (processId: string) => mark('stopping', processId),
    /** Marks this process, which has stopped and cannot release its leases. */
    keep(processId: string) {
      mark('unreleased', processId)
      removeMark(pathOf('stopping', processId), log)
    },
    /** This process has stopped and released its leases. */
    stopped: (processId: string) => removeMark(pathOf('stopping', processId), log),
    /** The leases of the listed processes are released, so their marks are removed. */
    released() {
      for (const processId of processIds) removeMark(pathOf('unreleased', processId), log)
    },
    /** The leases of those that were stopping have run out. */
    runOut() {
      for (const processId of stoppingIds) removeMark(pathOf('stopping', processId), log)
    },
  }

  function mark(kind: Kind, processId: string): void {
    try {
      makeFolder(dataDir)
      closeSync(openSync(pathOf(kind, processId), 'a', 0o600))
      syncFolder(dataDir)
    } catch (error) {
      log.warn(
        { err: error, processId },
        'Failed to note that this process stops; leases that it does not release will run out and count as crashes.',
      )
    }
  }

  function pathOf(kind: Kind, processId: string): string {
    return join(dataDir, `${prefixes[kind]}${processId}`)
  }
}

function listMarks(dataDir: string, kind: Kind, log: Log): string[] {
  const prefix = prefixes[kind]
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
