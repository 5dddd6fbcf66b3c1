import type { Command } from '../../../cli/src/index.ts'
import { getAccount } from '../accounts/accounts.ts'
import type { Account } from '../domain/account/account.ts'
import { Failure } from '../domain/failure.ts'
import type { Database } from '../storage/database.ts'
import { listAccounts } from '../storage/tables/accounts.ts'

export const withAccountOption = (command: Command): Command =>
  command.option('--account <name>', 'the account to work on; the first one by default')

/** The account that `--account` names, or the oldest one. */
export async function accountOf(
  db: Database,
  { options }: { options: Record<string, unknown> },
): Promise<Account> {
  const name = options['account']
  if (typeof name === 'string') return await getAccount(db, name)
  const [first] = await db.run(listAccounts())
  if (!first)
    throw new Failure('NOT_FOUND', 'There is no account yet. Run: npx trawl accounts create NAME')
  return first
}
