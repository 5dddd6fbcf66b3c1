import type { Account } from '../domain/account.ts'
import { blocksContaining } from '../runtime/ip-block.ts'
import { Recent } from '../runtime/recent.ts'
import type { Database } from '../storage/database.ts'
import { listAddressHolders } from '../storage/whitelisted-ips.ts'

const keptMs = 2000
const entriesMax = 10_000

/** Whose whitelist an address is on. On the lists of two accounts it names neither. */
export class AddressHolders {
  readonly #db: Database
  readonly #recent = new Recent<{ account: Account | undefined }>({ keptMs, entriesMax })

  constructor(db: Database) {
    this.#db = db
  }

  async find(address: string): Promise<Account | undefined> {
    const known = this.#recent.get(address)
    if (known) return known.account
    const blocks = blocksContaining(address)
    const [account, ...others] =
      blocks.length > 0 ? await this.#db.run(listAddressHolders(blocks)) : []
    const holder = others.length === 0 ? account : undefined
    this.#recent.set(address, { account: holder })
    return holder
  }
}
