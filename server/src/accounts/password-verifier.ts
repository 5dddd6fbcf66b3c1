import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { Semaphore } from '../runtime/sharing/semaphore.ts'
import { TtlCache } from '../runtime/sharing/ttl-cache.ts'
import { GuessQueue, type GuessResult } from './guess-queue.ts'
import { hashPassword, isPassword } from './password.ts'

const verdictKeptMs = 60_000
const entriesMax = 10_000

// A wrong password is rejected this many hash times after it arrived, hashed or not, so that the time does
// not reveal which (timing attack). A flow has one guess hashed in this time: a quarter of a core.
const rejectionHashTimes = 4
const rejectionMsMax = 2000
const delayedMax = 10_000
const pendingMax = 4096

const oneAtOnce = { atOnceMax: 1, waitingMax: Number.POSITIVE_INFINITY }

export type Login = Pick<OfferedPassword, 'username' | 'password'>

/** A password that a request offers for a user name. */
export interface OfferedPassword {
  username: string
  password: string
  /** Of user name and password together; see `digestOf`. */
  digest: string
  /** Where the request came from. Networks take turns in the queue. */
  network: string
}

/**
 * Verifies passwords at a cost that brute force does not raise. Hashing takes 50 ms of a core, so after a
 * login the process keeps a 12-bit fingerprint of the right password, in memory only, and rejects a guess
 * with another fingerprint without hashing. docs/decisions/0009 says why this neither refuses nor slows a
 * right password, and what the response time reveals.
 */
export class PasswordVerifier {
  readonly #secret = randomBytes(32).toString('hex')
  readonly #fingerprints = new TtlCache<{ fingerprint: string; passwordHash: string }>({
    ttlMs: Number.POSITIVE_INFINITY,
    entriesMax,
  })
  readonly #verdicts = new TtlCache<boolean>({ ttlMs: verdictKeptMs, entriesMax })
  readonly #pending = new Map<string, Promise<boolean>>()
  readonly #unproven = new GuessQueue({ pendingMax })
  readonly #unprovenSemaphore = new Semaphore(oneAtOnce)
  // A semaphore apart: only one wrong guess in 4 096 gets here, so a right password hardly ever waits.
  readonly #likelySemaphore = new Semaphore(oneAtOnce)
  readonly #hashTimes = new HashTimes()
  // The password of user names without an account, so that the response time does not reveal them.
  readonly #decoyPassword = randomBytes(16).toString('hex')
  #decoyHash: Promise<string> | undefined
  #delayedCount = 0

  constructor() {
    this.#hashDecoy().catch(() => undefined)
  }

  /** A digest that only this process can compute. */
  digestOf({ username, password }: Login): string {
    return hash('sha256', `${this.#secret}${username}:${password}`, 'base64')
  }

  /** `passwordHash` is undefined when there is no account, or a disabled one. */
  async isRight(offered: OfferedPassword, passwordHash: string | undefined): Promise<boolean> {
    // The time is set before the guess is hashed, so that it does not depend on the hashing.
    const rejectAtMs = performance.now() + this.#rejectionMs()
    const guess =
      passwordHash === undefined
        ? { offered, passwordHash: await this.#hashDecoy(), isDecoy: true }
        : { offered, passwordHash, isDecoy: false }
    const isRight = await this.#checkOnce(guess)
    if (!isRight) await this.#delayRejection(rejectAtMs)
    return isRight && passwordHash !== undefined
  }

  /** Hashes the decoy once. If that failed, the next call tries again. */
  #hashDecoy(): Promise<string> {
    this.#decoyHash ??= this.#hashTimes
      .measure(() => hashPassword(this.#decoyPassword))
      .catch((error) => {
        this.#decoyHash = undefined
        throw error
      })
    return this.#decoyHash
  }

  /** Concurrent requests with the same password from the same network share one check. */
  #checkOnce(guess: Guess): Promise<boolean> {
    const key = `${guess.offered.network} ${verdictKey(guess)}`
    const pending = this.#pending.get(key)
    if (pending !== undefined) return pending
    const verdict = this.#checks[this.#classify(guess)](guess).finally(() =>
      this.#pending.delete(key),
    )
    this.#pending.set(key, verdict)
    return verdict
  }

  /** What is known about a guess without hashing it. */
  #classify(guess: Guess): GuessClass {
    const verdict = this.#verdicts.get(verdictKey(guess))
    if (verdict !== undefined) return verdict ? 'right' : 'wrong'
    const expected = this.#expectedFingerprint(guess)
    if (expected === undefined) return 'unproven'
    return expected === fingerprintOf(guess.offered.digest) ? 'likely' : 'wrong'
  }

  readonly #checks: Record<GuessClass, (guess: Guess) => Promise<boolean>> = {
    right: async () => true,
    wrong: async () => false,
    likely: async (guess) => (await this.#checkInTurn(guess, this.#likelySemaphore)).isRight,
    unproven: (guess) =>
      this.#unproven.run(`${guess.offered.network} ${guess.offered.username}`, () =>
        this.#checkInTurn(guess, this.#unprovenSemaphore),
      ),
  }

  async #checkInTurn(guess: Guess, semaphore: Semaphore): Promise<GuessResult> {
    // The networks take turns: nobody has an account before the password is found right.
    const turn = { accountId: guess.offered.network }
    const checked = await semaphore.run(() => this.#checkNow(guess), turn)
    assert(checked, 'the semaphore refused a guess although its queue has no limit')
    return checked.result
  }

  /** If a login meanwhile made the guess known as right or wrong, it is not hashed. */
  async #checkNow(guess: Guess): Promise<GuessResult> {
    const known = this.#classify(guess)
    if (known === 'right' || known === 'wrong') {
      return { isRight: known === 'right', cooldownMs: 0 }
    }
    const { offered, passwordHash } = guess
    const isRight = await this.#hashTimes.measure(() => isPassword(offered.password, passwordHash))
    this.#verdicts.set(verdictKey(guess), isRight)
    if (!isRight) {
      return { isRight, cooldownMs: (rejectionHashTimes - 1) * this.#hashTimes.medianMs() }
    }
    this.#fingerprints.set(offered.username, {
      fingerprint: fingerprintOf(offered.digest),
      passwordHash,
    })
    return { isRight, cooldownMs: 0 }
  }

  #expectedFingerprint({ offered: { username }, passwordHash, isDecoy }: Guess) {
    if (isDecoy) return fingerprintOf(this.digestOf({ username, password: this.#decoyPassword }))
    const known = this.#fingerprints.get(username)
    return known?.passwordHash === passwordHash ? known.fingerprint : undefined
  }

  async #delayRejection(untilMs: number): Promise<void> {
    const leftMs = untilMs - performance.now()
    if (leftMs <= 0 || this.#delayedCount >= delayedMax) return
    this.#delayedCount += 1
    await new Promise((resolve) => setTimeout(resolve, leftMs).unref())
    this.#delayedCount -= 1
  }

  #rejectionMs(): number {
    return Math.min(rejectionHashTimes * this.#hashTimes.medianMs(), rejectionMsMax)
  }
}

type GuessClass = 'right' | 'likely' | 'unproven' | 'wrong'

interface Guess {
  offered: OfferedPassword
  /** Of the account, or of the decoy. */
  passwordHash: string
  isDecoy: boolean
}

const verdictKey = ({ offered, passwordHash }: Guess): string => `${offered.digest} ${passwordHash}`

// Two characters of base64 are 12 bits.
const fingerprintOf = (digest: string): string => digest.slice(0, 2)

const samplesMax = 15
// Used until something was hashed: about what argon2id takes on a small server.
const assumedMs = 50

/** Measures how long hashing takes. The median is not moved by a single pause of the machine. */
class HashTimes {
  readonly #samplesMs: number[] = []
  #medianMs = assumedMs

  async measure<Result>(hashing: () => Promise<Result>): Promise<Result> {
    const startedMs = performance.now()
    const result = await hashing()
    this.#samplesMs.push(performance.now() - startedMs)
    if (this.#samplesMs.length > samplesMax) this.#samplesMs.shift()
    const sorted = this.#samplesMs.toSorted((a, b) => a - b)
    this.#medianMs = sorted[sorted.length >> 1] ?? assumedMs
    return result
  }

  medianMs(): number {
    return this.#medianMs
  }
}
