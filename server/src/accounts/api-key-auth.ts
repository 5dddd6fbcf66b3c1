import type { Account } from '../domain/account/account.ts'
import { digestOf } from '../domain/account/api-key.ts'
import type { Log } from '../runtime/log.ts'
import { TtlCache } from '../runtime/ttl-cache.ts'
import { findKeyHolder, touchApiKey } from '../storage/api-keys-table.ts'
import type { Database } from '../storage/database.ts'

// A withdrawn key stops working within 3 s; a good one costs the store one look every 2 s.
const keptMs = 2000
const touchedEveryMs = 60_000
const entriesMax = 10_000

/** Whose API key it is. Unknown keys are looked up every time, so that a new one works at once. */
export class ApiKeyAuth {
  readonly #db: Database
  readonly #log: Log
  readonly #recent = new TtlCache<Account>({ keptMs, entriesMax })
  readonly #touched = new TtlCache<true>({ keptMs: touchedEveryMs, entriesMax })

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
  }

  /** The holder of a key that was looked up lately. */
  recall(key: string): Account | undefined {
    return this.#recent.get(digestOf(key))
  }

  async find(key: string): Promise<Account | undefined> {
    const digest = digestOf(key)
    const known = this.#recent.get(digest)
    if (known) return known
    const [holder] = await this.#db.run(findKeyHolder(digest))
    if (!holder) return undefined
    const { keyId, ...account } = holder
    this.#recent.set(digest, account)
    this.#touch(keyId)
    return account
  }

  /** Nobody waits for this, and a key works although its use could not be noted. */
  #touch(keyId: string): void {
    if (this.#touched.get(keyId)) return
    this.#touched.set(keyId, true)
    this.#db
      .run(touchApiKey(keyId, this.#db.nowMs()))
      .catch((error) => this.#log.warn({ err: error }, 'the use of an API key was not noted'))
  }
}
