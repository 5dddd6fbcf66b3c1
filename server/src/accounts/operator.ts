import type { Account } from '../domain/account/account.ts'
import { Failure } from '../domain/failure.ts'
import type { Database } from '../storage/database.ts'
import { findFirstAccountId } from '../storage/tables/accounts.ts'

export type Operator = ReturnType<typeof createOperator>

/** The first account is the operator: it alone may see the whole service. */
export function createOperator(db: Database) {
  // It never changes: accounts are disabled, not deleted.
  let firstId: string | undefined

  async function isOperator({ id }: Account): Promise<boolean> {
    firstId ??= (await db.run(findFirstAccountId()))[0]
    return id === firstId
  }

  return {
    isOperator,
    async requireOperator(account: Account): Promise<void> {
      if (await isOperator(account)) return
      throw new Failure('FORBIDDEN', 'Only the first account, the operator, may see this.')
    },
  }
}
