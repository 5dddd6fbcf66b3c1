import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const nobody = { uid: 65534, gid: 65534 } // the same on all supported Linux distributions

const prefix = 'trawl-browser-'

// The start time is part of the name: in a container, restarts often get the same process id.
const ownPrefix = `${prefix}${process.pid}-${Math.round(performance.timeOrigin).toString(36)}-`

/** A temporary folder for one browser. Its name has our process id, to find orphans later. */
export async function makeBrowserHome({ asNobody }: { asNobody: boolean }): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), ownPrefix))
  if (asNobody) await chown(home, nobody.uid, nobody.gid)
  return home
}

/** Retries, as a killed browser may still write. What remains is removed by the next process. */
export const removeBrowserHome = (home: string): Promise<void> =>
  rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }).catch(() => undefined)

/** Removes the folders that killed processes left behind. */
export async function removeOrphanedHomes(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  const orphaned = names.filter((name) => {
    const [, pid] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? []
    if (pid === undefined || name.startsWith(ownPrefix)) return false
    return Number(pid) === process.pid || !isAlive(Number(pid))
  })
  // Removing the folders of other users fails silently; their own processes remove them.
  await Promise.all(orphaned.map((name) => removeBrowserHome(join(tmpdir(), name))))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
