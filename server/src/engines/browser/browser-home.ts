import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const nobody = { uid: 65534, gid: 65534 } // the same on every Linux we install on

const prefix = 'trawl-browser-'

/** A folder for one browser, named after this process so that it is known whose it was. */
export async function makeBrowserHome({ asNobody }: { asNobody: boolean }): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  if (asNobody) await chown(home, nobody.uid, nobody.gid)
  return home
}

/** A browser that is being killed may write for a moment longer. */
export const removeBrowserHome = (home: string): Promise<void> =>
  rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })

/** What a process that was killed could not clear away. */
export async function removeOrphanedHomes(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  const orphaned = names.filter((name) => {
    const [, pid] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? []
    return pid !== undefined && !isAlive(Number(pid))
  })
  // Those of other users cannot be removed, and are theirs to remove.
  await Promise.allSettled(orphaned.map((name) => removeBrowserHome(join(tmpdir(), name))))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
