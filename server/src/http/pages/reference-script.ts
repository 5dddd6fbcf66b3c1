import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { PageScript } from './html-page.ts'

export const referenceScriptPath = '/reference.js'

let known: (PageScript & { text: string }) | undefined

/** The script of the reference page, with the hash by which the page's policy allows it alone. */
export function referenceScript(): PageScript & { text: string } {
  known ??= read()
  return known
}

function read(): PageScript & { text: string } {
  const text = readFileSync(new URL('./try-it.js', import.meta.url), 'utf8')
  const hash = `sha256-${createHash('sha256').update(text).digest('base64')}`
  return { text, hash, path: referenceScriptPath }
}
