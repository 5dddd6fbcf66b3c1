import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BadSettings } from './local-settings.ts'
import { isServerUrl } from './service-options.ts'

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
    throw new BadSettings(`${path} can be read by others. Run: chmod 600 ${path}`)
  }
  const profile = parseProfile(readFileSync(path, 'utf8'))
  if (profile) return profile
  throw new BadSettings(
    `${path} is not a profile. Run "npx trawl profile remove", then "npx trawl profile save".`,
  )
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
  for (const folder of [dirname(settingsFolder), settingsFolder]) makeFolder(folder)
  const path = profilePath(settingsFolder)
  // Written beside the file and then renamed, so that nobody ever reads half a key.
  const draft = `${path}.${randomBytes(8).toString('hex')}`
  const text = JSON.stringify({ server, api_key: apiKey }, null, 2)
  try {
    writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true })
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** For this user only. Not with `recursive`, which for a folder below /proc Node retries for ever. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  mkdirSync(path, { mode: 0o700 })
}

export function removeProfile(settingsFolder: string): void {
  rmSync(profilePath(settingsFolder), { force: true })
}
