import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { parseEnv } from 'node:util'
import { CommandFailure } from '../command-failure.ts'

/** Settings that no command can work with; the message lists them. */
export class BadSettings extends CommandFailure {
  constructor(problem: string) {
    super('badConfiguration', `The configuration is not valid:\n  ${problem}`)
  }
}

type Environment = Record<string, string | undefined>

/** What commands read of the settings of the service on this machine, and of the user's own. */
export type LocalSettings = ReturnType<typeof readLocalSettings>

/** Reads them as the service does: flag, environment, `.env` and `trawl.config.json` of the folder. */
export function readLocalSettings(
  { dataDir }: { dataDir?: string | undefined } = {},
  // biome-ignore lint/style/noProcessEnv: the one place where commands read it.
  environment: Environment = process.env,
  folder: string = process.cwd(),
) {
  const dotEnv: Environment = parseEnv(readIfPresent(join(folder, '.env')) ?? '')
  const file = readSettingsFile(join(folder, 'trawl.config.json'))

  /** A setting by its variables, of which the first stands for it, and its place in the file. */
  const find = (variables: [string, ...string[]], [group, field]: [string, string]) => {
    for (const [layer, values] of Object.entries({ environment, '.env': dotEnv })) {
      for (const name of variables) {
        const text = values[name]
        if (text) return { text: contentOf(name, text), origin: `${layer} ${name}` }
      }
    }
    const value = childOf(childOf(file, group), field)
    return value === undefined ? undefined : { text: `${value}`, origin: 'trawl.config.json' }
  }

  return {
    host: find(['TRAWL_HOST', 'HOST'], ['http', 'host'])?.text ?? '127.0.0.1',
    port: readPort(find(['TRAWL_PORT', 'PORT'], ['http', 'port'])),
    dataDir: dataDir ?? find(['TRAWL_DATA_DIR'], ['store', 'dataDir'])?.text ?? './data',
    /** The key and the callback secret of the first account. */
    apiKey: find(keyVariables, ['firstAccount', 'apiKey'])?.text,
    callbackSecret: find(secretVariables, ['firstAccount', 'callbackSecret'])?.text,
    /** `TRAWL_URL`. Not from `.env`: a folder that is merely entered must not choose who gets the key. */
    url: environment['TRAWL_URL'] || undefined,
    /** The variable of the environment itself that has a key, so that the user gave it for this command. */
    keyVariable: keyVariables.find((name) => environment[name]),
    /** The user's folder for settings; undefined if the environment names none. */
    settingsFolder: settingsFolderOf(environment),
  }
}

const keyVariables: [string, string] = ['TRAWL_API_KEY', 'TRAWL_API_KEY_FILE']
const secretVariables: [string, string] = ['TRAWL_CALLBACK_SECRET', 'TRAWL_CALLBACK_SECRET_FILE']

/** Those of the settings, or else of the file that the service wrote at its first start. */
export function readLocalCredentials(settings: LocalSettings) {
  const stored = readCredentialsFile(join(settings.dataDir, 'credentials.json'))
  const textIn = (field: string) => {
    const value = childOf(stored, field)
    return typeof value === 'string' ? value : undefined
  }
  return {
    apiKey: settings.apiKey ?? textIn('api_key'),
    callbackSecret: settings.callbackSecret ?? textIn('callback_secret'),
  }
}

/** Undefined if the file is missing, not readable or not JSON. */
function readCredentialsFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

const childOf = (parent: unknown, key: string): unknown =>
  typeof parent === 'object' ? (parent as Record<string, unknown> | null)?.[key] : undefined

/** The content of the file that a variable such as `TRAWL_API_KEY_FILE` names. */
function contentOf(variable: string, value: string): string {
  if (!variable.endsWith('_FILE')) return value
  try {
    return readFileSync(value, 'utf8').replace(/\r?\n$/, '')
  } catch {
    throw new BadSettings(`${variable} names ${value}, which cannot be read.`)
  }
}

function readPort(found: { text: string; origin: string } | undefined): number {
  const { text, origin } = found ?? { text: '8080' }
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new BadSettings(`TRAWL_PORT must be a whole number from 0 to 65535 (${origin}).`)
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
