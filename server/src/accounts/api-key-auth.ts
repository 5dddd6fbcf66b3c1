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
export class ApiKeyAuth {
  readonly #db: Database
  readonly #log: Log
  #cache = createCache()
  readonly #touched = new TtlCache<true>({ ttlMs: touchIntervalMs, entriesMax })

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
  }

  clearCache(): void {
    this.#cache = createCache()
  }

  getCached(key: string): Account | undefined {
    return this.#cache.get(digestOf(key))
  }

  async find(key: string): Promise<Account | undefined> {
    const digest = digestOf(key)
    const cache = this.#cache
    const cached = cache.get(digest)
    if (cached) return cached
    const [owner] = await this.#db.run(findApiKeyOwner(digest))
    if (!owner) return undefined
    const { keyId, ...account } = owner
    // A lookup that began before `clearCache` fills a cache that is no longer used.
    cache.set(digest, account)
    this.#touch(keyId)
    return account
  }

  /** Records the last use in the background; the request succeeds even if that fails. */
  #touch(keyId: string): void {
    if (this.#touched.get(keyId)) return
    this.#touched.set(keyId, true)
    this.#db
      .run(touchApiKey(keyId, this.#db.nowMs()))
      .catch((err) => this.#log.warn({ err, keyId }, 'failed to record the last use of an API key'))
  }
}

const createCache = () => new TtlCache<Account>({ ttlMs, entriesMax })
