import type { WhitelistedIp } from '../domain/account/whitelisted-ip.ts'
import { whitelistEntriesMax, whitelistShortestPrefix } from '../domain/account/whitelisted-ip.ts'
import { Failure } from '../domain/failure.ts'
import { isWider } from '../runtime/ip-block.ts'
import { objectId } from '../runtime/object-id.ts'
import type { Database } from '../storage/database.ts'
import { RequirementUnmet, type Statement } from '../storage/statement.ts'
import { lockAccount } from '../storage/tables/accounts.ts'
import {
  deleteWhitelistedIp,
  describeWhitelistedIp,
  insertWhitelistedIp,
  listWhitelistedIps,
  withinWhitelistLength,
} from '../storage/tables/whitelisted-ips.ts'

export type Whitelist = ReturnType<typeof createWhitelist>

type Entry = Omit<WhitelistedIp, 'id'>

/**
 * The whitelisted addresses of an account. Every change is atomic and returns the whole list.
 * `onChange` is called after every change, so that the process clears its cache of addresses.
 */
export function createWhitelist(db: Database, onChange: () => void = () => undefined) {
  return {
    list: (accountId: string): Promise<WhitelistedIp[]> => db.run(listWhitelistedIps(accountId)),
    add: async (accountId: string, entries: readonly Entry[]): Promise<WhitelistedIp[]> => {
      if (entries.some(({ block }) => isWider(block, whitelistShortestPrefix))) throw tooWide()
      return await change(accountId, [
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
      ])
    },
    describe: (accountId: string, entry: Entry): Promise<WhitelistedIp[]> =>
      change(accountId, [describeWhitelistedIp({ accountId, ...entry }).required('listed')]),
    remove: (accountId: string, blocks: readonly string[]): Promise<WhitelistedIp[]> =>
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
    } finally {
      // After a failure too: the store may have committed although its reply was lost.
      onChange()
    }
  }
}

const refusals: Record<string, () => Failure> = {
  new: () => new Failure('VALIDATION_ERROR', 'An address is on the list already.'),
  short: () =>
    new Failure('VALIDATION_ERROR', `The list may hold ${whitelistEntriesMax} entries at most.`),
  listed: () => new Failure('NOT_FOUND', 'An address is not on the list.'),
}

const tooWide = () =>
  new Failure(
    'VALIDATION_ERROR',
    `A block may not be wider than /${whitelistShortestPrefix.ipv4} (IPv4) or /${whitelistShortestPrefix.ipv6} (IPv6). Add narrower blocks.`,
  )
