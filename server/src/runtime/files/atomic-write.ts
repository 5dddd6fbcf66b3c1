/** Atomic writes of files with secrets: a draft is written beside the file and then renamed. */
import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const draftName = /\.[0-9a-f]{16}$/
/** A draft exists for milliseconds; one this old was left by a process that was killed. */
const staleAfterMs = 60_000

export function writeDraft(path: string, text: string): string {
  // Not named by process id: two containers on one volume may have the same id.
  const draft = `${path}.${randomBytes(8).toString('hex')}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true })
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  return draft
}

/** Replaces the file atomically; no draft is left if it fails. */
export function replaceFile(path: string, text: string): void {
  const draft = writeDraft(path, text)
  try {
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Removes drafts left by killed processes: they hold the same secrets as the file. */
export function removeStaleDrafts(path: string): void {
  const folder = dirname(path)
  for (const name of readdirSync(folder)) {
    if (!draftName.test(name) || name.replace(draftName, '') !== basename(path)) continue
    const draft = join(folder, name)
    const stats = statSync(draft, { throwIfNoEntry: false })
    if (stats?.isFile() && Date.now() - stats.mtimeMs > staleAfterMs) rmSync(draft, { force: true })
  }
}
