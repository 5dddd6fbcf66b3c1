import { readFileSync } from 'node:fs'
import { hashedScript } from './html-page.ts'

export const referenceScriptPath = '/reference.js'

/** The script of the reference page, with the hash by which the page's policy allows it alone. */
export const referenceScript = {
  path: referenceScriptPath,
  ...hashedScript(readFileSync(new URL('./try-it.js', import.meta.url), 'utf8')),
}
