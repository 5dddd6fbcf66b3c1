import type { Account } from '../domain/account/account.ts'
import { digestOf } from '../domain/account/api-key.ts'
import type { Log } from '../runtime/log.ts'
import { TtlCache } from '../runtime/sharing/ttl-cache.ts'
import type { Database } from '../storage/database.ts'
import { findApiKeyOwner, touchApiKey } from '../storage/tables/api-keys.ts'

// A revoked key stops working within 3 s; a key in use costs the store one query every 2 s.
const ttlMs = 2000
const touchIntervalMs = 60_000
const entriesMax = 10_000

/** Finds the account of an API key, with a TTL cache. Only known keys are cached: a new one works at once. */
export function createApiKeyAuth(db: Database, log: Log) {
  let newest = createCache()
  const touched = new TtlCache<true>({ ttlMs: touchIntervalMs, entriesMax })

  return {
    clearCache(): void {
      newest = createCache()
    },
    getCached: (key: string): Account | undefined => newest.get(digestOf(key)),
    async find(key: string): Promise<Account | undefined> {
      const digest = digestOf(key)
      const cache = newest
      const cached = cache.get(digest)
      if (cached) return cached
      const [owner] = await db.run(findApiKeyOwner(digest))
      if (!owner) return undefined
      const { keyId, ...account } = owner
      // A lookup that began before `clearCache` fills a cache that is no longer used.
      cache.set(digest, account)
      touch(keyId)
      return account
    },
  }

  /** Records the last use in the background; the request succeeds even if that fails. */
  function touch(keyId: string): void {
    if (touched.get(keyId)) return
    touched.set(keyId, true)
    db.run(touchApiKey(keyId, db.nowMs())).catch((err) =>
      log.warn({ err, keyId }, 'failed to record the last use of an API key'),
    )
  }
}

const createCache = () => new TtlCache<Account>({ ttlMs, entriesMax })
