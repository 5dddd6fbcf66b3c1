import type { Command } from 'commander'
import { configFileSchema, loadConfig } from '../config.ts'
import type { SettingOrigin } from '../runtime/settings.ts'
import { inColumns } from './columns.ts'
import { addSettingFlags, settingFlags } from './setting-flags.ts'

export function addConfigCommand(program: Command): void {
  const config = addSettingFlags(program.command('config'))
    .description('print the merged settings and where each came from; secrets are masked')
    .option('--json', 'one JSON document')
    .action((options: { json?: true }, command: Command) => {
      const { origins, warnings } = loadConfig(settingFlags(command))
      for (const warning of warnings) console.error(`warning: ${warning}`)
      console.log(options.json ? asJson(origins) : asTable(origins))
    })
  config
    .command('schema')
    .description('print the JSON Schema of trawl.config.json')
    .action(() => console.log(JSON.stringify(configFileSchema(), null, 2)))
}

function shownValue({ text, isSecret, defaultText }: SettingOrigin): string {
  if (text === undefined) return defaultText ? `(${defaultText})` : '(not set)'
  return isSecret && text !== '[]' ? '********' : text
}

const asTable = (origins: SettingOrigin[]): string =>
  inColumns(origins.map((one) => [one.env, shownValue(one), one.origin]))

const asJson = (origins: SettingOrigin[]): string =>
  JSON.stringify(
    Object.fromEntries(
      origins.map((one) => [one.env, { value: shownValue(one), origin: one.origin }]),
    ),
    null,
    2,
  )
