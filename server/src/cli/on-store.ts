import {
  type Command,
  type Printable,
  printResult,
  withOutputOptions,
} from '../../../cli/src/index.ts'
import { type Config, loadConfig } from '../config.ts'
import { namingStore } from '../storage/store-place.ts'
import type { OpenStore } from '../wiring/open-store.ts'
import { addSettingFlags, settingFlags } from './setting-flags.ts'

/**
 * Runs a command directly on the store, with or without a running service, and prints what it returns.
 * Only that goes to stdout.
 */
export function onStore<Args extends unknown[]>(
  command: Command,
  run: (
    store: OpenStore,
    given: { args: Args; options: Record<string, unknown>; config: Config },
  ) => Promise<Printable>,
): void {
  withOutputOptions(addSettingFlags(command, ['store'])).action(async () => {
    const { config } = loadConfig(settingFlags(command))
    const { createLog } = await import('../runtime/log.ts')
    const { openStore } = await import('../wiring/open-store.ts')
    const log = createLog({ level: 'warn', isPretty: process.stderr.isTTY })
    const options = command.opts()
    const given = { args: command.processedArgs as Args, options, config }
    const { databaseUrl: url, dataDir } = config.store
    try {
      const store = await openStore(config, log)
      await using _closed = store.db
      await printResult(await run(store, given), options)
    } catch (error) {
      throw namingStore(error, { url, dataDir })
    }
  })
}
