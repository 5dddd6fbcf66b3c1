import type { Command } from '../../../cli/src/index.ts'
import { allSettings, type Config } from '../config.ts'
import { flagOf, type Setting } from '../runtime/settings/settings.ts'

/**
 * Adds a flag for every setting, or for those of some groups. A secret has none, since every user of the
 * machine can read a command line.
 */
export function addSettingFlags(command: Command, groups?: readonly (keyof Config)[]): Command {
  const isWanted = ({ path: [group] }: Setting) =>
    groups === undefined || groups.includes(group as keyof Config)
  for (const one of allSettings()) {
    if (!one.isSecret && isWanted(one)) command.option(`--${flagOf(one.env)} <value>`, one.about)
  }
  return command
}

/** The values of the flags, by name without the dashes. */
export function settingFlags(command: Command): Record<string, string | undefined> {
  return Object.fromEntries(
    command.options.map((option) => [
      option.long?.replace(/^--/, '') ?? '',
      command.getOptionValue(option.attributeName()) as string | undefined,
    ]),
  )
}
