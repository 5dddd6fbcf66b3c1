import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

/** One file of the built dashboard, as it is and compressed by the build. */
export interface DashboardFile {
  contentType: string
  plain: Uint8Array
  gzip: Uint8Array | undefined
  brotli: Uint8Array | undefined
}

export interface DashboardFiles {
  /** The sources that it was built from. */
  stamp: string
  page: DashboardFile
  /** By the name alone: what the build did not write cannot be asked for (path traversal). */
  assets: ReadonlyMap<string, DashboardFile>
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Reads a built dashboard into memory, about a megabyte; undefined if there is none. */
export async function readDashboardFiles(folder: string): Promise<DashboardFiles | undefined> {
  const stamp = await readIfThere(join(folder, 'stamp'))
  const page = await readDashboardFile(join(folder, 'index.html'))
  if (!stamp || !page) return undefined
  const assets = new Map<string, DashboardFile>()
  for (const name of await readdir(join(folder, 'assets'))) {
    const file = await readDashboardFile(join(folder, 'assets', name))
    if (file) assets.set(name, file)
  }
  return { stamp: stamp.toString().trim(), page, assets }
}

/** Undefined for what is not served by itself, such as the compressed copies. */
async function readDashboardFile(path: string): Promise<DashboardFile | undefined> {
  const contentType = contentTypes[extname(path)]
  const plain = contentType && (await readIfThere(path))
  if (!plain) return undefined
  const [gzip, brotli] = await Promise.all([readIfThere(`${path}.gz`), readIfThere(`${path}.br`)])
  return { contentType, plain, gzip, brotli }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  return await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
