/** Files that hold secrets are there whole or not at all: they are written as a draft beside their place. */
import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const draftName = /\.[0-9a-f]{16}$/
/** A draft exists for milliseconds; one this old was left by a process that was killed. */
const staleAfterMs = 60_000

export function writeDraft(path: string, text: string): string {
  // Not by process id: two containers on one volume may have the same.
  const draft = `${path}.${randomBytes(8).toString('hex')}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true })
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  return draft
}

/** Whatever goes wrong, no draft is left. */
export function replaceFile(path: string, text: string): void {
  const draft = writeDraft(path, text)
  try {
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** What killed processes left beside `path`: it holds the same secrets as the file itself. */
export function removeStaleDrafts(path: string): void {
  const folder = dirname(path)
  for (const name of readdirSync(folder)) {
    if (!draftName.test(name) || name.replace(draftName, '') !== basename(path)) continue
    const draft = join(folder, name)
    const stats = statSync(draft, { throwIfNoEntry: false })
    if (stats?.isFile() && Date.now() - stats.mtimeMs > staleAfterMs) rmSync(draft, { force: true })
  }
}
