import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const nobody = { uid: 65534, gid: 65534 } // the same on every Linux we install on

const prefix = 'trawl-browser-'

// In a container every process before this one had the same number.
const ours = `${prefix}${process.pid}-${Math.round(performance.timeOrigin).toString(36)}-`

/** A folder for one browser, named after this process so that it is known whose it was. */
export async function makeBrowserHome({ asNobody }: { asNobody: boolean }): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), ours))
  if (asNobody) await chown(home, nobody.uid, nobody.gid)
  return home
}

/** A browser that is being killed may write for a moment longer. What stays is an orphan's for the next start. */
export const removeBrowserHome = (home: string): Promise<void> =>
  rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }).catch(() => undefined)

/** What a process that was killed could not clear away. */
export async function removeOrphanedHomes(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  const orphaned = names.filter((name) => {
    const [, pid] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? []
    if (pid === undefined || name.startsWith(ours)) return false
    return Number(pid) === process.pid || !isAlive(Number(pid))
  })
  // Those of other users cannot be removed, and are theirs to remove.
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
