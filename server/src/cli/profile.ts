import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigProblems } from '../config.ts'
import { replaceFile } from '../runtime/draft-file.ts'
import { makeFolder } from '../runtime/make-folder.ts'
import { isServerUrl } from './server-option.ts'

/** A service elsewhere and the key for it, kept for one user of this machine. */
export interface Profile {
  server: string
  apiKey: string
}

export const profilePath = (settingsFolder: string): string => join(settingsFolder, 'profile.json')

const othersMayRead = 0o077

/** Undefined if there is none. A file that others may read is refused, as ssh refuses such keys. */
export function readProfile(settingsFolder: string | undefined): Profile | undefined {
  if (settingsFolder === undefined) return undefined
  const path = profilePath(settingsFolder)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  if ((stats.mode & othersMayRead) !== 0) {
    throw new ConfigProblems([`${path} can be read by others. Run: chmod 600 ${path}`])
  }
  const profile = parseProfile(readFileSync(path, 'utf8'))
  if (profile) return profile
  throw new ConfigProblems([
    `${path} is not a profile. Run "npx trawl profile remove", then "npx trawl profile save".`,
  ])
}

function parseProfile(text: string): Profile | undefined {
  try {
    const { server, api_key: apiKey } = JSON.parse(text) as Record<string, unknown>
    const isWhole = typeof server === 'string' && typeof apiKey === 'string' && isServerUrl(server)
    return isWhole ? { server, apiKey } : undefined
  } catch {
    return undefined
  }
}

export function writeProfile(settingsFolder: string, { server, apiKey }: Profile): void {
  makeFolder(settingsFolder)
  const text = JSON.stringify({ server, api_key: apiKey }, null, 2)
  replaceFile(profilePath(settingsFolder), `${text}\n`)
}

export function removeProfile(settingsFolder: string): void {
  rmSync(profilePath(settingsFolder), { force: true })
}
