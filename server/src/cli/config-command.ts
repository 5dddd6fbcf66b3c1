import type { Command } from 'commander'
import { configFileSchema, loadConfig } from '../config.ts'
import { printable } from '../runtime/printable-text.ts'
import type { SettingOrigin } from '../runtime/settings.ts'
import { inColumns } from './columns.ts'
import { say } from './messages.ts'
import { withOutputOptions } from './output-options.ts'
import { type PrintFlags, printJson, printText } from './print-result.ts'
import { addSettingFlags, settingFlags } from './setting-flags.ts'

export function addConfigCommand(program: Command): void {
  const config = withOutputOptions(addSettingFlags(program.command('config')))
    .description('print the merged settings and where each came from; secrets are masked')
    .action(async (flags: PrintFlags, command: Command) => {
      const { origins, warnings } = loadConfig(settingFlags(command))
      for (const warning of warnings) say(`warning: ${warning}`)
      if (flags.json) await printJson(asJson(origins), flags)
      else await printText(asLines(origins, flags), flags)
    })
  withOutputOptions(config.command('schema'))
    .description('print the JSON Schema of trawl.config.json')
    .action(async (_flags: PrintFlags, command: Command) => {
      // The command above has the same option and reads it first.
      await printJson(JSON.stringify(configFileSchema(), null, 2), command.optsWithGlobals())
    })
}

function shownValue({ text, isSecret, defaultText }: SettingOrigin): string {
  if (text === undefined) return defaultText ? `(${defaultText})` : '(not set)'
  return isSecret && text !== '[]' ? '********' : text
}

const asLines = (origins: SettingOrigin[], { output }: PrintFlags): string =>
  inColumns(
    origins.map((one) => [one.env, printable(shownValue(one)), printable(one.origin)]),
    ...(output === undefined ? [] : [Infinity]),
  )

const asJson = (origins: SettingOrigin[]): string =>
  JSON.stringify(
    Object.fromEntries(
      origins.map((one) => [one.env, { value: shownValue(one), origin: one.origin }]),
    ),
    null,
    2,
  )
