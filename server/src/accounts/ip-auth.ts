import type { Account } from '../domain/account/account.ts'
import { whitelistShortestPrefix } from '../domain/account/whitelisted-ip.ts'
import { blocksContaining } from '../runtime/ip-block.ts'
import { TtlCache } from '../runtime/ttl-cache.ts'
import type { Database } from '../storage/database.ts'
import { type BlockHolder, listBlockHolders } from '../storage/whitelisted-ips-table.ts'

// Another process sees an added address within 2 s and a removed one within 3 s.
const keptMs = 1500
const entriesMax = 10_000

/**
 * Whose whitelist an address is on: the longest matching block names the account. Blocks that are too
 * wide to be added are not looked for, so one that was stored before there was a limit opens nothing.
 */
export class IpAuth {
  readonly #db: Database
  #recent = createCache()

  constructor(db: Database) {
    this.#db = db
  }

  async find(address: string): Promise<Account | undefined> {
    const cache = this.#recent
    const known = cache.get(address)
    if (known) return known.account
    const blocks = blocksContaining(address, whitelistShortestPrefix)
    const rows = blocks.length > 0 ? await this.#db.run(listBlockHolders(blocks)) : []
    const account = chooseHolder(blocks, rows)
    // A lookup that began before `forget` fills a cache that is no longer used.
    cache.set(address, { account })
    return account
  }

  /** Called when a list was changed, so that the change holds at once. */
  forget(): void {
    this.#recent = createCache()
  }
}

const createCache = () => new TtlCache<{ account: Account | undefined }>({ keptMs, entriesMax })

/** The same longest block on two lists names nobody, even where one of them has a wider block too. */
function chooseHolder(
  longestFirst: readonly string[],
  rows: readonly BlockHolder[],
): Account | undefined {
  const byBlock = new Map(rows.map((row) => [row.block, row]))
  const longest = longestFirst.find((block) => byBlock.has(block))
  const holder = longest === undefined ? undefined : byBlock.get(longest)
  return holder?.holderCount === 1 ? holder.account : undefined
}
