import type { Database } from '../storage/database.ts'
import type { HeldEntry } from './held-entry.ts'

// Most pages are fetched by then; what takes longer is to be seen, counted and cancelled by all processes.
const unwrittenMsMax = 1_000

/** Work of this process that is not in the store yet: it was begun at once, and is written when it ends. */
export class BegunWork {
  readonly #held: ReadonlySet<HeldEntry>
  readonly #db: Pick<Database, 'nowMs'>

  constructor(held: ReadonlySet<HeldEntry>, db: Pick<Database, 'nowMs'>) {
    this.#held = held
    this.#db = db
  }

  /** Writes what has run for long. An outage stops no work: it is tried again, at the latest when it ends. */
  async writeOld(): Promise<void> {
    const beforeMs = this.#db.nowMs() - unwrittenMsMax
    await Promise.allSettled(
      this.#list(({ startedAtMs }) => startedAtMs <= beforeMs).map((held) => held.write()),
    )
  }

  has(workId: string): boolean {
    return this.#list((held) => held.workId === workId).length > 0
  }

  /** Returns false if there is no such work. */
  async write(workId: string): Promise<boolean> {
    const found = this.#list((held) => held.workId === workId)
    await Promise.all(found.map((held) => held.write()))
    return found.length > 0
  }

  /** As far as the store takes it: what it does not is missing in lists, which are read all the same. */
  async writeOf(accountId: string): Promise<void> {
    await Promise.allSettled(
      this.#list((held) => held.accountId === accountId).map((held) => held.write()),
    )
  }

  #list(isWanted: (held: HeldEntry) => boolean): HeldEntry[] {
    return [...this.#held].filter((held) => held.isUnwritten && isWanted(held))
  }
}
