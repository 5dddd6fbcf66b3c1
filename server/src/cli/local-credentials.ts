import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Config, loadClientConfig } from '../config.ts'

/** The credentials of the first account of the service on this machine. */
export interface LocalCredentials {
  config: Config
  apiKey: string | undefined
  callbackSecret: string | undefined
}

export const withDataDirOption = (command: Command): Command =>
  command.option('--data-dir <folder>', 'the data folder of the service on this machine')

/** Reads them from the settings, or else from the file that the service wrote at its first start. */
export function readLocalCredentials({ dataDir }: { dataDir?: string }): LocalCredentials {
  const config = loadClientConfig(dataDir === undefined ? {} : { 'data-dir': dataDir })
  const stored = readIfPossible(join(config.store.dataDir, 'credentials.json'))
  return {
    config,
    apiKey: config.firstAccount.apiKey ?? textIn(stored, 'api_key'),
    callbackSecret: config.firstAccount.callbackSecret ?? textIn(stored, 'callback_secret'),
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
