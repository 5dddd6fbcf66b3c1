import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A folder of the cache that has what `contents` stands for. It is built beside its place and renamed when
 * complete, so that no run finds a partial one.
 */
export async function cachedFolder(
  { cacheDir, name, contents }: { cacheDir: string; name: string; contents: string },
  build: (unfinished: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256').update(contents).digest('hex')
  const folder = join(cacheDir, `${name}-${hash.slice(0, 16)}`)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.${process.pid}`
  try {
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { recursive: true })
    await build(unfinished)
    await rename(unfinished, folder).catch((error) => {
      const wasMadeMeanwhile = ['ENOTEMPTY', 'EEXIST'].includes(error.code)
      if (!wasMadeMeanwhile) throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  return folder
}
