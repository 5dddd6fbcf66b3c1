import { Failure } from '../domain/failure.ts'
import type { WhitelistedIp } from '../domain/whitelisted-ip.ts'
import { whitelistEntriesMax } from '../domain/whitelisted-ip.ts'
import { objectId } from '../runtime/object-id.ts'
import { lockAccount } from '../storage/accounts.ts'
import type { Database } from '../storage/database.ts'
import { RequirementUnmet, type Statement } from '../storage/statement.ts'
import {
  deleteWhitelistedIp,
  describeWhitelistedIp,
  insertWhitelistedIp,
  listWhitelistedIps,
  withinWhitelistLength,
} from '../storage/whitelisted-ips.ts'

/** An account's list of addresses. Every change is all or nothing and answers with the whole list. */
export interface Whitelist {
  list(accountId: string): Promise<WhitelistedIp[]>
  add(accountId: string, entries: readonly Entry[]): Promise<WhitelistedIp[]>
  describe(accountId: string, entry: Entry): Promise<WhitelistedIp[]>
  remove(accountId: string, blocks: readonly string[]): Promise<WhitelistedIp[]>
}

interface Entry {
  block: string
  description: string
}

export function createWhitelist(db: Database): Whitelist {
  return {
    list: (accountId) => db.run(listWhitelistedIps(accountId)),
    add: (accountId, entries) =>
      change(accountId, [
        ...entries.map(({ block, description }) =>
          insertWhitelistedIp({
            id: objectId(),
            accountId,
            block,
            description,
            nowMs: db.nowMs(),
          }).required('new'),
        ),
        withinWhitelistLength(accountId, whitelistEntriesMax).required('short'),
      ]),
    describe: (accountId, entry) =>
      change(accountId, [describeWhitelistedIp({ accountId, ...entry }).required('listed')]),
    remove: (accountId, blocks) =>
      change(
        accountId,
        [...new Set(blocks)].map((block) =>
          deleteWhitelistedIp({ accountId, block }).required('listed'),
        ),
      ),
  }

  async function change(
    accountId: string,
    statements: Statement<unknown>[],
  ): Promise<WhitelistedIp[]> {
    try {
      const results = await db.transaction([
        lockAccount(accountId),
        ...statements,
        listWhitelistedIps(accountId),
      ])
      return results.at(-1) as WhitelistedIp[]
    } catch (error) {
      throw error instanceof RequirementUnmet ? (refusals[error.requirement]?.() ?? error) : error
    }
  }
}

const refusals: Record<string, () => Failure> = {
  new: () => new Failure('VALIDATION_ERROR', 'An address is on the list already.'),
  short: () =>
    new Failure('VALIDATION_ERROR', `The list may hold ${whitelistEntriesMax} entries at most.`),
  listed: () => new Failure('NOT_FOUND', 'An address is not on the list.'),
}
