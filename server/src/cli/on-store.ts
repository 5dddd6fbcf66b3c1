import type { Command } from 'commander'
import type { AccountStore } from '../accounts/accounts.ts'
import { loadConfig } from '../config.ts'
import { openStore } from '../main.ts'
import { createLog } from '../runtime/log.ts'
import { inColumns } from './columns.ts'
import { addSettingFlags, settingFlags } from './setting-flags.ts'

/** What a command prints: rows for people, or the same as one JSON document. */
type Printable = Record<string, unknown> | Record<string, unknown>[]

/**
 * Gives a command the store itself, beside a running service or without one, and prints what it
 * returns: data on stdout, nothing else.
 */
export function onStore<Args extends unknown[]>(
  command: Command,
  run: (
    store: AccountStore,
    given: { args: Args; options: Record<string, unknown> },
  ) => Promise<Printable>,
): void {
  addSettingFlags(command, ['store'])
    .option('--json', 'one JSON document')
    .action(async () => {
      const { config } = loadConfig(settingFlags(command))
      const log = createLog({ level: 'warn', isPretty: process.stderr.isTTY })
      const store = await openStore(config, log)
      await using _closed = store.db
      const options = command.opts()
      const printed = await run(store, { args: command.processedArgs as Args, options })
      console.log(options['json'] ? JSON.stringify(printed, null, 2) : asTable(printed))
    })
}

function asTable(printed: Printable): string {
  if (!Array.isArray(printed))
    return inColumns(Object.entries(printed).map((pair) => pair.map(String)))
  const [first] = printed
  if (!first) return '(none)'
  const names = Object.keys(first)
  return inColumns([names, ...printed.map((row) => names.map((name) => String(row[name] ?? '-')))])
}
