import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Config, loadConfig } from '../config.ts'

/** What opens the service on this machine. */
export interface LocalCredentials {
  config: Config
  apiKey: string | undefined
  callbackSecret: string | undefined
}

export const withDataDirOption = (command: Command): Command =>
  command.option('--data-dir <folder>', 'the data folder of the service on this machine')

/** The settings, or else what the service on this machine generated at its first start. */
export function readLocalCredentials({ dataDir }: { dataDir?: string }): LocalCredentials {
  const { config } = loadConfig(dataDir === undefined ? {} : { 'data-dir': dataDir })
  const kept = readKept(join(config.store.dataDir, 'credentials.json'))
  return {
    config,
    apiKey: config.firstAccount.apiKey ?? textIn(kept, 'api_key'),
    callbackSecret: config.firstAccount.callbackSecret ?? textIn(kept, 'callback_secret'),
  }
}

/** Nothing where there is no such file, it is not ours to read, or it is no JSON. */
function readKept(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

function textIn(kept: unknown, key: string): string | undefined {
  const value = (kept as Record<string, unknown> | null | undefined)?.[key]
  return typeof value === 'string' ? value : undefined
}
