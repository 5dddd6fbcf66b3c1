import type { Account } from '../domain/account/account.ts'
import { whitelistShortestPrefix } from '../domain/account/whitelisted-ip.ts'
import { blocksContaining } from '../runtime/ip-block.ts'
import { TtlCache } from '../runtime/sharing/ttl-cache.ts'
import type { Database } from '../storage/database.ts'
import { type BlockOwner, listBlockOwners } from '../storage/tables/whitelisted-ips.ts'

// So other processes see an added address within 2 s and a removed one within 3 s.
const ttlMs = 1500
const entriesMax = 10_000

/**
 * Finds the account that has whitelisted an address, with a TTL cache. The longest matching CIDR block
 * wins. Blocks wider than the limit are not searched, so one stored before there was a limit has no effect.
 */
export function createIpAuth(db: Database) {
  let newest = createCache()

  return {
    clearCache(): void {
      newest = createCache()
    },
    async find(address: string): Promise<Account | undefined> {
      const cache = newest
      const cached = cache.get(address)
      if (cached) return cached.account
      const blocks = blocksContaining(address, whitelistShortestPrefix)
      const rows = blocks.length > 0 ? await db.run(listBlockOwners(blocks)) : []
      const account = longestMatch(blocks, rows)
      // A lookup that began before `clearCache` fills a cache that is no longer used.
      cache.set(address, { account })
      return account
    },
  }
}

const createCache = () => new TtlCache<{ account: Account | undefined }>({ ttlMs, entriesMax })

/** If two accounts list the same longest block, neither is authenticated. */
function longestMatch(
  longestFirst: readonly string[],
  rows: readonly BlockOwner[],
): Account | undefined {
  const byBlock = new Map(rows.map((row) => [row.block, row]))
  const longest = longestFirst.find((block) => byBlock.has(block))
  const match = longest === undefined ? undefined : byBlock.get(longest)
  return match?.ownerCount === 1 ? match.account : undefined
}
