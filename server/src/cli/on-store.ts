import {
  type Command,
  type Printable,
  printResult,
  withOutputOptions,
} from '../../../cli/src/index.ts'
import { getAccount } from '../accounts/accounts.ts'
import { type Config, loadConfig } from '../config.ts'
import type { Account } from '../domain/account/account.ts'
import { Failure } from '../domain/failure.ts'
import type { Database } from '../storage/database.ts'
import { namingStore } from '../storage/store-place.ts'
import { listAccounts } from '../storage/tables/accounts.ts'
import type { OpenStore } from '../wiring/open-store.ts'
import { addSettingFlags, settingFlags } from './setting-flags.ts'

interface Given<Args> {
  args: Args
  options: Record<string, unknown>
  config: Config
}

/**
 * Runs a command directly on the store, with or without a running service, and prints what it returns.
 * Only that goes to stdout.
 */
export function onStore<Args extends unknown[]>(
  command: Command,
  run: (store: OpenStore, given: Given<Args>) => Promise<Printable>,
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

/** The same for the account that `--account` names, or the oldest one. */
export function onAccount<Args extends unknown[]>(
  command: Command,
  run: (store: OpenStore, account: Account, given: Given<Args>) => Promise<Printable>,
): void {
  command.option('--account <name>', 'the account to work on; the first one by default')
  onStore<Args>(command, async (store, given) => {
    const { account } = given.options as { account?: string }
    return await run(store, await findAccount(store.db, account), given)
  })
}

async function findAccount(db: Database, name: string | undefined): Promise<Account> {
  if (name !== undefined) return await getAccount(db, name)
  const [first] = await db.run(listAccounts())
  if (first) return first
  throw new Failure('NOT_FOUND', 'There is no account yet. Run: npx trawl accounts create NAME')
}
