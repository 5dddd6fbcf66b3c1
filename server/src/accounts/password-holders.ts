import { hash, randomBytes } from 'node:crypto'
import type { Account } from '../domain/account.ts'
import { Recent } from '../runtime/recent.ts'
import { findAccountByUsername } from '../storage/accounts.ts'
import type { Database } from '../storage/database.ts'
import { HashingTurns } from './hashing-turns.ts'
import { hashPassword, isPassword } from './password.ts'

// A changed password or a disabled account is noticed within 3 s.
const accountKeptMs = 2000
const verdictKeptMs = 60_000
const entriesMax = 10_000

/**
 * Whose name and password it is. Hashing takes 40 ms, so verdicts are remembered for a minute, under a
 * digest that only this process can make, together with the hash they were judged by.
 */
export class PasswordHolders {
  readonly #db: Database
  readonly #accounts = new Recent<Account & { passwordHash: string }>({
    keptMs: accountKeptMs,
    entriesMax,
  })
  readonly #verdicts = new Recent<Promise<boolean>>({ keptMs: verdictKeptMs, entriesMax })
  readonly #right = new Recent<{ account: Account; passwordHash: string }>({
    keptMs: verdictKeptMs,
    entriesMax,
  })
  readonly #turns = new HashingTurns()
  readonly #digestSecret = randomBytes(32).toString('hex')
  // An unknown user costs as much time as a wrong password, so that names cannot be guessed.
  readonly #decoyHash = hashPassword(randomBytes(16).toString('hex'))

  constructor(db: Database) {
    this.#db = db
    this.#decoyHash.catch(() => undefined)
  }

  /** The holder of a name and password that were found right lately. */
  recall(given: { username: string; password: string }): Account | undefined {
    const known = this.#accounts.get(given.username)
    const right = known && this.#right.get(this.#digestOf(given))
    return right?.passwordHash === known?.passwordHash ? right?.account : undefined
  }

  async find(
    given: { username: string; password: string },
    address: string,
  ): Promise<Account | undefined> {
    const known = this.recall(given)
    if (known) return known
    // Looked up every time, so that a new password works at once.
    const [holder] = await this.#db.run(findAccountByUsername(given.username))
    const kept = holder?.passwordHash ?? (await this.#decoyHash)
    const digest = this.#digestOf(given)
    const isRight = await this.#isPassword(`${digest} ${kept}`, address, () =>
      isPassword(given.password, kept),
    )
    if (!holder?.isEnabled || !isRight) return undefined
    const { passwordHash, ...account } = holder
    this.#accounts.set(given.username, holder)
    this.#right.set(digest, { account, passwordHash })
    return account
  }

  #digestOf({ username, password }: { username: string; password: string }): string {
    return hash('sha256', `${this.#digestSecret}${username}:${password}`, 'base64')
  }

  #isPassword(key: string, address: string, isRight: () => Promise<boolean>): Promise<boolean> {
    const known = this.#verdicts.get(key)
    if (known !== undefined) return known
    // Callers that come together with the same password share one hashing.
    const verdict = this.#turns.check(address, isRight)
    this.#verdicts.set(key, verdict)
    verdict.catch(() => this.#verdicts.delete(key))
    return verdict
  }
}
