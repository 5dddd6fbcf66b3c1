import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LocalSettings } from './local-settings.ts'

/** The credentials of the first account of the service on this machine. */
export interface LocalCredentials {
  apiKey: string | undefined
  callbackSecret: string | undefined
}

/** Those of the settings, or else of the file that the service wrote at its first start. */
export function readLocalCredentials(settings: LocalSettings): LocalCredentials {
  const stored = readIfPossible(join(settings.dataDir, 'credentials.json'))
  return {
    apiKey: settings.apiKey ?? textIn(stored, 'api_key'),
    callbackSecret: settings.callbackSecret ?? textIn(stored, 'callback_secret'),
  }
}

/** Undefined if the file is missing, not readable or not JSON. */
function readIfPossible(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

function textIn(stored: unknown, key: string): string | undefined {
  const value = (stored as Record<string, unknown> | null | undefined)?.[key]
  return typeof value === 'string' ? value : undefined
}
