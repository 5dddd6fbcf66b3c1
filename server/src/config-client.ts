import { isAbsolute, join } from 'node:path'

/** What the environment tells the command line about services elsewhere. */
export interface ClientFacts {
  /** `TRAWL_URL`. Not from `.env`: a folder that is merely entered must not choose who gets the key. */
  url: string | undefined
  /** The variable of the environment itself that has a key, so that the user gave it for this command. */
  keyVariable: string | undefined
  /** The user's folder for settings; undefined if the environment names none. */
  settingsFolder: string | undefined
}

export const clientFacts = (environment: Record<string, string | undefined>): ClientFacts => ({
  url: environment['TRAWL_URL'] || undefined,
  keyVariable: ['TRAWL_API_KEY', 'TRAWL_API_KEY_FILE'].find((name) => environment[name]),
  settingsFolder: settingsFolderOf(environment),
})

/** By the XDG Base Directory Specification, which ignores relative paths. */
function settingsFolderOf(environment: Record<string, string | undefined>): string | undefined {
  const { XDG_CONFIG_HOME: folder, HOME: home } = environment
  if (folder && isAbsolute(folder)) return join(folder, 'trawl')
  return home && isAbsolute(home) ? join(home, '.config', 'trawl') : undefined
}
