import { hash } from 'node:crypto'
import type { Account } from '../domain/account/account.ts'
import { hasSignInEnded, type SignIn } from '../domain/account/sign-in.ts'
import type { Log } from '../runtime/log.ts'
import { TtlCache } from '../runtime/sharing/ttl-cache.ts'
import type { Database } from '../storage/database.ts'
import { findSignIn, touchSignIn } from '../storage/tables/sign-ins.ts'

// A session that ended in another process, or with its credential, stops working within 3 s.
const ttlMs = 2000
const touchIntervalMs = 60_000
const entriesMax = 10_000

/** A session and whose it is. */
export interface FoundSignIn {
  account: Account
  signIn: SignIn
}

/** Finds the account of a session cookie's token, with a TTL cache. */
export function createSignInAuth(db: Database, log: Log) {
  let newest = createCache()

  return {
    clearCache(): void {
      newest = createCache()
    },
    getCached: (token: string): FoundSignIn | undefined => newest.get(tokenDigestOf(token)),
    async find(token: string): Promise<FoundSignIn | undefined> {
      const digest = tokenDigestOf(token)
      const cache = newest
      const cached = cache.get(digest)
      if (cached) return cached
      const [row] = await db.run(findSignIn(digest))
      if (!row) return undefined
      const { username, accountCreatedAtMs, passwordMark, passwordHash, ...signIn } = row
      const hasPasswordChanged =
        passwordMark !== null && passwordMark !== passwordMarkOf(passwordHash)
      const nowMs = db.nowMs()
      if (hasPasswordChanged || hasSignInEnded(signIn, nowMs)) return undefined
      if (nowMs - signIn.lastUsedAtMs >= touchIntervalMs) {
        signIn.lastUsedAtMs = nowMs
        touch(digest, nowMs)
      }
      const { accountId: id } = signIn
      const account = { id, username, isEnabled: true, createdAtMs: accountCreatedAtMs }
      const found = { account, signIn }
      // A lookup that began before `clearCache` fills a cache that is no longer used.
      cache.set(digest, found)
      return found
    },
  }

  /** Records the last use in the background; the request succeeds even if that fails. */
  function touch(digest: string, nowMs: number): void {
    db.run(touchSignIn(digest, nowMs)).catch((err) =>
      log.warn({ err }, 'failed to record the last use of a session'),
    )
  }
}

const createCache = () => new TtlCache<FoundSignIn>({ ttlMs, entriesMax })

/** The hash that the store keeps. A token has 256 random bits, so a fast hash is safe. */
export const tokenDigestOf = (token: string): string => hash('sha256', token)

/** Changes with the password. */
export const passwordMarkOf = (passwordHash: string): string => hash('sha256', passwordHash)
