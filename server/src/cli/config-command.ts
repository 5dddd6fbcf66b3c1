import {
  type Command,
  inColumns,
  type PrintFlags,
  printable,
  printJson,
  printText,
  say,
  withOutputOptions,
} from '../../../cli/src/index.ts'
import { configFileSchema, loadConfig } from '../config.ts'
import { type ShownSetting, showSetting } from '../runtime/settings/settings.ts'
import { addSettingFlags, settingFlags } from './setting-flags.ts'

export function addConfigCommand(program: Command): void {
  const config = withOutputOptions(addSettingFlags(program.command('config')))
    .description('print the merged settings and where each came from; secrets are masked')
    .action(async (flags: PrintFlags, command: Command) => {
      const { origins, warnings } = loadConfig(settingFlags(command))
      for (const warning of warnings) say(`warning: ${warning}`)
      const settings = origins.map(showSetting)
      if (flags.json) await printJson(asJson(settings), flags)
      else await printText(asLines(settings, flags), flags)
    })
  withOutputOptions(config.command('schema'))
    .description('print the JSON Schema of trawl.config.json')
    .action(async (_flags: PrintFlags, command: Command) => {
      // The command above has the same option and reads it first.
      await printJson(JSON.stringify(configFileSchema(), null, 2), command.optsWithGlobals())
    })
}

const asLines = (settings: ShownSetting[], { output }: PrintFlags): string =>
  inColumns(
    settings.map(({ name, value, origin }) => [name, printable(value), printable(origin)]),
    ...(output === undefined ? [] : [Infinity]),
  )

const asJson = (settings: ShownSetting[]): string =>
  JSON.stringify(Object.fromEntries(settings.map(({ name, ...shown }) => [name, shown])), null, 2)
