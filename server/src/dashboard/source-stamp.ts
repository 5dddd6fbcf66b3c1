import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** All that the build reads, below the root of the repository. */
const sources = [
  'dashboard/build.ts',
  'dashboard/index.html',
  'dashboard/package-lock.json',
  'dashboard/src',
  'sdk/src',
  'cli/src/curl/curl-command.ts',
  'cli/src/curl/printable-json.ts',
]

/** A hash of the sources of the dashboard: a build with another one is out of date. */
export async function stampOfSources(root: string): Promise<string> {
  const hash = createHash('sha256')
  for (const source of sources) {
    for (const path of await listFiles(root, source)) {
      hash.update(`${path}\0`).update(await readFile(join(root, path)))
    }
  }
  return hash.digest('hex')
}

async function listFiles(root: string, path: string): Promise<string[]> {
  if (path.includes('.')) return [path]
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}
