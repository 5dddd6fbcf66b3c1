import { chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
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

/**
 * Writes the preferences of a full browser into its profile, before its first start. They turn off
 * requests of its own that no switch turns off: those of a context go out by the egress proxy of
 * the page, and would be the page's to the proxy.
 */
export async function writePreferences(
  profile: string,
  { asNobody }: { asNobody: boolean },
): Promise<void> {
  const folder = join(profile, 'Default')
  const file = join(folder, 'Preferences')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(file, JSON.stringify(preferences))
  if (!asNobody) return
  for (const path of [profile, folder, file]) await chown(path, nobody.uid, nobody.gid)
}

const preferences = {
  // After a TLS error it would ask a server of Google whether the network has a login page.
  alternate_error_pages: { enabled: false },
  // 2 is never: it neither connects to nor renders what a page may need next.
  net: { network_prediction_options: 2 },
  // A PDF is a download, as in the shell, and not a page of the browser's own.
  plugins: { always_open_pdf_externally: true },
  safebrowsing: { enabled: false },
  search: { suggest_enabled: false },
  signin: { allowed: false },
  credentials_enable_service: false,
}
