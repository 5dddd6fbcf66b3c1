import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Command } from 'commander'
import { CommandFailure } from '../command-failure.ts'

/** What commands read of the settings of the service on this machine, and of the user's own. */
export interface LocalSettings {
  host: string
  port: number
  dataDir: string
  /** The key and the callback secret of the first account. */
  apiKey: string | undefined
  callbackSecret: string | undefined
  /** `TRAWL_URL`. Not from `.env`: a folder that is merely entered must not choose who gets the key. */
  url: string | undefined
  /** The variable of the environment itself that has a key, so that the user gave it for this command. */
  keyVariable: string | undefined
  /** The user's folder for settings; undefined if the environment names none. */
  settingsFolder: string | undefined
}

/** Settings that no command can work with; the message lists them. */
export class BadSettings extends CommandFailure {
  constructor(problem: string) {
    super('badConfiguration', `The configuration is not valid:\n  ${problem}`)
  }
}

export const withDataDirOption = (command: Command): Command =>
  command.option('--data-dir <folder>', 'the data folder of the service on this machine')

type Environment = Record<string, string | undefined>

/** Reads them as the service does: flag, environment, `.env` and `trawl.config.json` of the folder. */
export function readLocalSettings(
  { dataDir }: { dataDir?: string | undefined } = {},
  // biome-ignore lint/style/noProcessEnv: the one place where commands read it.
  environment: Environment = process.env,
  folder: string = process.cwd(),
): LocalSettings {
  const sources: Sources = {
    environment,
    '.env': parseEnv(readIfPresent(join(folder, '.env')) ?? ''),
    'trawl.config.json': readSettingsFile(join(folder, 'trawl.config.json')),
  }
  const find = (place: SettingPlace) => findSetting(place, sources)
  return {
    host: find({ names: ['TRAWL_HOST', 'HOST'], path: ['http', 'host'] })?.text ?? '127.0.0.1',
    port: readPort(find({ names: ['TRAWL_PORT', 'PORT'], path: ['http', 'port'] })),
    dataDir:
      dataDir ?? find({ names: ['TRAWL_DATA_DIR'], path: ['store', 'dataDir'] })?.text ?? './data',
    apiKey: find(firstAccount('TRAWL_API_KEY', 'apiKey'))?.text,
    callbackSecret: find(firstAccount('TRAWL_CALLBACK_SECRET', 'callbackSecret'))?.text,
    url: environment['TRAWL_URL'] || undefined,
    keyVariable: ['TRAWL_API_KEY', 'TRAWL_API_KEY_FILE'].find((name) => environment[name]),
    settingsFolder: settingsFolderOf(environment),
  }
}

interface SettingPlace {
  names: string[]
  path: [group: string, name: string]
  /** It may be in the file that `…_FILE` names. */
  isSecret?: true
}

const firstAccount = (name: string, field: string): SettingPlace => ({
  names: [name],
  path: ['firstAccount', field],
  isSecret: true,
})

interface Sources {
  environment: Environment
  '.env': Environment
  'trawl.config.json': unknown
}

interface FoundSetting {
  name: string
  text: string
  origin: string
}

function findSetting(place: SettingPlace, sources: Sources): FoundSetting | undefined {
  const { names, path, isSecret } = place
  const [name = ''] = names
  for (const layer of ['environment', '.env'] as const) {
    for (const variable of names) {
      const text = sources[layer][variable]
      if (text) return { name, text, origin: `${layer} ${variable}` }
    }
    const file = isSecret && sources[layer][`${name}_FILE`]
    if (file) return { name, text: readSecretFile(name, file), origin: `file ${file}` }
  }
  const value = path.reduce(childOf, sources['trawl.config.json'])
  return value === undefined ? undefined : { name, text: `${value}`, origin: 'trawl.config.json' }
}

const childOf = (parent: unknown, key: string): unknown =>
  typeof parent === 'object' ? (parent as Record<string, unknown> | null)?.[key] : undefined

function readSecretFile(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch {
    throw new BadSettings(`${name}_FILE names ${path}, which cannot be read.`)
  }
}

function readPort(found: FoundSetting | undefined): number {
  const { name, text, origin } = found ?? { text: '8080' }
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new BadSettings(`${name} must be a whole number from 0 to 65535 (${origin}).`)
}

function readSettingsFile(path: string): unknown {
  const text = readIfPresent(path)
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    // The parser's own message would quote it, and it may contain secrets.
    throw new BadSettings('trawl.config.json must be JSON.')
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new BadSettings(`${path} cannot be read: ${(error as Error).message}`)
  }
}

/** By the XDG Base Directory Specification, which ignores relative paths. */
function settingsFolderOf(environment: Environment): string | undefined {
  const { XDG_CONFIG_HOME: folder, HOME: home } = environment
  if (folder && isAbsolute(folder)) return join(folder, 'trawl')
  return home && isAbsolute(home) ? join(home, '.config', 'trawl') : undefined
}
