import type { Account } from '../domain/account/account.ts'
import { networkOf } from '../runtime/ip-block.ts'
import { TtlCache } from '../runtime/sharing/ttl-cache.ts'
import type { Database } from '../storage/database.ts'
import { findAccountByUsername } from '../storage/tables/accounts.ts'
import { type Login, PasswordVerifier } from './password-verifier.ts'

// So a changed password or a disabled account takes effect within 3 s.
const accountKeptMs = 2000
const verifiedKeptMs = 60_000
const entriesMax = 10_000

/** Finds the account of a user name and password. A TTL cache spares repeated logins hash and query. */
export function createPasswordAuth(db: Database) {
  const accounts = new TtlCache<Account & { passwordHash: string }>({
    ttlMs: accountKeptMs,
    entriesMax,
  })
  const verified = new TtlCache<{ account: Account; passwordHash: string }>({
    ttlMs: verifiedKeptMs,
    entriesMax,
  })
  const verifier = new PasswordVerifier()

  return {
    getCached,
    /** The stored hash that this password was found right by; undefined before `find` has. */
    getVerifiedHash: (given: Login) => verified.get(verifier.digestOf(given))?.passwordHash,
    async find(given: Login, address: string): Promise<Account | undefined> {
      const cached = getCached(given)
      if (cached) return cached
      // The account is read every time, so that a new password works at once.
      const [found] = await db.run(findAccountByUsername(given.username))
      const enabled = found?.isEnabled ? found : undefined
      const digest = verifier.digestOf(given)
      const offered = { ...given, digest, network: networkOf(address) }
      const isRight = await verifier.isRight(offered, enabled?.passwordHash)
      if (!enabled || !isRight) return undefined
      const { passwordHash, ...account } = enabled
      accounts.set(given.username, enabled)
      verified.set(digest, { account, passwordHash })
      return account
    },
  }

  function getCached(given: Login): Account | undefined {
    const known = accounts.get(given.username)
    const kept = known && verified.get(verifier.digestOf(given))
    return kept?.passwordHash === known?.passwordHash ? kept?.account : undefined
  }
}
