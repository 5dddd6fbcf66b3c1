import type { Account } from '../domain/account/account.ts'
import { networkOf } from '../runtime/ip-block.ts'
import { TtlCache } from '../runtime/sharing/ttl-cache.ts'
import type { Database } from '../storage/database.ts'
import { findAccountByUsername } from '../storage/tables/accounts.ts'
import { PasswordVerifier } from './password-verifier.ts'

// So a changed password or a disabled account takes effect within 3 s.
const accountKeptMs = 2000
const verifiedKeptMs = 60_000
const entriesMax = 10_000

/** Finds the account of a user name and password. A TTL cache spares repeated logins hash and query. */
export class PasswordAuth {
  readonly #db: Database
  readonly #accounts = new TtlCache<Account & { passwordHash: string }>({
    ttlMs: accountKeptMs,
    entriesMax,
  })
  readonly #verified = new TtlCache<{ account: Account; passwordHash: string }>({
    ttlMs: verifiedKeptMs,
    entriesMax,
  })
  readonly #verifier = new PasswordVerifier()

  constructor(db: Database) {
    this.#db = db
  }

  getCached(given: { username: string; password: string }): Account | undefined {
    const known = this.#accounts.get(given.username)
    const verified = known && this.#verified.get(this.#verifier.digestOf(given))
    return verified?.passwordHash === known?.passwordHash ? verified?.account : undefined
  }

  /** The stored hash that this password was found right by; undefined before `find` has. */
  getVerifiedHash(given: { username: string; password: string }): string | undefined {
    return this.#verified.get(this.#verifier.digestOf(given))?.passwordHash
  }

  async find(
    given: { username: string; password: string },
    address: string,
  ): Promise<Account | undefined> {
    const cached = this.getCached(given)
    if (cached) return cached
    // The account is read every time, so that a new password works at once.
    const [found] = await this.#db.run(findAccountByUsername(given.username))
    const enabled = found?.isEnabled ? found : undefined
    const digest = this.#verifier.digestOf(given)
    const isRight = await this.#verifier.isRight(
      { ...given, digest, network: networkOf(address) },
      enabled?.passwordHash,
    )
    if (!enabled || !isRight) return undefined
    const { passwordHash, ...account } = enabled
    this.#accounts.set(given.username, enabled)
    this.#verified.set(digest, { account, passwordHash })
    return account
  }
}
