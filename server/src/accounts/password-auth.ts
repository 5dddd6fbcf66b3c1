import type { Account } from '../domain/account/account.ts'
import { networkOf } from '../runtime/ip-block.ts'
import { TtlCache } from '../runtime/ttl-cache.ts'
import { findAccountByUsername } from '../storage/accounts-table.ts'
import type { Database } from '../storage/database.ts'
import { PasswordVerifier } from './password-verifier.ts'

// A changed password or a disabled account is noticed within 3 s.
const accountKeptMs = 2000
const rightKeptMs = 60_000
const entriesMax = 10_000

/** Whose name and password it is. One that was right lately is recalled without hashing or asking the store. */
export class PasswordAuth {
  readonly #db: Database
  readonly #accounts = new TtlCache<Account & { passwordHash: string }>({
    keptMs: accountKeptMs,
    entriesMax,
  })
  readonly #right = new TtlCache<{ account: Account; passwordHash: string }>({
    keptMs: rightKeptMs,
    entriesMax,
  })
  readonly #verifier = new PasswordVerifier()

  constructor(db: Database) {
    this.#db = db
  }

  /** The holder of a name and password that were found right lately. */
  recall(given: { username: string; password: string }): Account | undefined {
    const known = this.#accounts.get(given.username)
    const right = known && this.#right.get(this.#verifier.digestOf(given))
    return right?.passwordHash === known?.passwordHash ? right?.account : undefined
  }

  async find(
    given: { username: string; password: string },
    address: string,
  ): Promise<Account | undefined> {
    const known = this.recall(given)
    if (known) return known
    // Looked up every time, so that a new password works at once.
    const [found] = await this.#db.run(findAccountByUsername(given.username))
    const holder = found?.isEnabled ? found : undefined
    const digest = this.#verifier.digestOf(given)
    const isRight = await this.#verifier.isRight(
      { ...given, digest, network: networkOf(address) },
      holder?.passwordHash,
    )
    if (!holder || !isRight) return undefined
    const { passwordHash, ...account } = holder
    this.#accounts.set(given.username, holder)
    this.#right.set(digest, { account, passwordHash })
    return account
  }
}
