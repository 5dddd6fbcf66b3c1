import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { Semaphore } from '../runtime/semaphore.ts'
import { TtlCache } from '../runtime/ttl-cache.ts'
import { GuessQueue, type Judgement } from './guess-queue.ts'
import { HashTimes } from './hash-times.ts'
import { hashPassword, isPassword } from './password.ts'

const verdictKeptMs = 60_000
const entriesMax = 10_000

// A wrong password is answered so many hash times after it arrived, whether it was hashed or not, so that
// the time tells nothing. A flow that goes on guessing has one hashed in this time: a quarter of a core.
const wrongAnswerHashTimes = 4
const wrongAnswerMsMax = 2000
const delayedMax = 10_000
const pendingMax = 4096

const oneAtOnce = { atOnceMax: 1, waitingMax: Number.POSITIVE_INFINITY }

/** A password that somebody sent for a user name. */
export interface OfferedPassword {
  username: string
  password: string
  /** Names the user name and the password together; see `digestOf`. */
  digest: string
  /** Where the request came from: guesses of one network take turns with those of the others. */
  network: string
}

/**
 * Whether a password is right, at a cost that a flood of guesses does not raise. Hashing takes 50 ms of a
 * core; after each login the process remembers a fingerprint of 12 bits of the right password, in memory
 * only, and dismisses a guess whose fingerprint differs. docs/decisions/0009 says why a right password is
 * neither refused nor slowed by this, and what the time of an answer tells.
 */
export class PasswordVerifier {
  readonly #secret = randomBytes(32).toString('hex')
  readonly #fingerprints = new TtlCache<{ fingerprint: string; passwordHash: string }>({
    keptMs: Number.POSITIVE_INFINITY,
    entriesMax,
  })
  readonly #verdicts = new TtlCache<boolean>({ keptMs: verdictKeptMs, entriesMax })
  readonly #pending = new Map<string, Promise<boolean>>()
  readonly #unproven = new GuessQueue({ pendingMax })
  readonly #unprovenSemaphore = new Semaphore(oneAtOnce)
  // Of its own: one guess in 4 096 gets here, so that a right password waits for none.
  readonly #likelySemaphore = new Semaphore(oneAtOnce)
  readonly #hashTimes = new HashTimes()
  // A name without an account is treated like an account with this password that has logged in.
  readonly #decoyPassword = randomBytes(16).toString('hex')
  #decoyHash: Promise<string> | undefined
  #delayedCount = 0

  constructor() {
    this.#hashDecoy().catch(() => undefined)
  }

  /** A digest that only this process can make. */
  digestOf({ username, password }: { username: string; password: string }): string {
    return hash('sha256', `${this.#secret}${username}:${password}`, 'base64')
  }

  /** `passwordHash` is undefined where there is no account that may log in. */
  async isRight(offered: OfferedPassword, passwordHash: string | undefined): Promise<boolean> {
    // Decided before the guess is hashed, so that how long that takes moves nothing.
    const wrongAnswerAtMs = performance.now() + this.#wrongAnswerMs()
    const guess =
      passwordHash === undefined
        ? { offered, passwordHash: await this.#hashDecoy(), isDecoy: true }
        : { offered, passwordHash, isDecoy: false }
    const isRight = await this.#judgeOnce(guess)
    if (!isRight) await this.#delayWrongAnswer(wrongAnswerAtMs)
    return isRight && passwordHash !== undefined
  }

  /** Once; one that failed is hashed again by the next who needs it. */
  #hashDecoy(): Promise<string> {
    this.#decoyHash ??= this.#hashTimes
      .measure(() => hashPassword(this.#decoyPassword))
      .catch((error) => {
        this.#decoyHash = undefined
        throw error
      })
    return this.#decoyHash
  }

  /** The same password from the same network is judged once for all who wait for it. */
  #judgeOnce(guess: Guess): Promise<boolean> {
    const key = `${guess.offered.network} ${verdictKey(guess)}`
    const pending = this.#pending.get(key)
    if (pending !== undefined) return pending
    const verdict = this.#judges[this.#standingOf(guess)](guess).finally(() =>
      this.#pending.delete(key),
    )
    this.#pending.set(key, verdict)
    return verdict
  }

  /** What is known of a guess without hashing it. */
  #standingOf(guess: Guess): Standing {
    const verdict = this.#verdicts.get(verdictKey(guess))
    if (verdict !== undefined) return verdict ? 'right' : 'wrong'
    const expected = this.#expectedFingerprint(guess)
    if (expected === undefined) return 'unproven'
    return expected === fingerprintOf(guess.offered.digest) ? 'likely' : 'wrong'
  }

  readonly #judges: Record<Standing, (guess: Guess) => Promise<boolean>> = {
    right: async () => true,
    wrong: async () => false,
    likely: async (guess) => (await this.#judgeInTurn(guess, this.#likelySemaphore)).isRight,
    unproven: (guess) =>
      this.#unproven.run(`${guess.offered.network} ${guess.offered.username}`, () =>
        this.#judgeInTurn(guess, this.#unprovenSemaphore),
      ),
  }

  async #judgeInTurn(guess: Guess, semaphore: Semaphore): Promise<Judgement> {
    const judged = await semaphore.run(() => this.#judgeNow(guess))
    assert(judged, 'a semaphore without a bound refuses nobody')
    return judged.result
  }

  /** Somebody may have logged in while the guess was waiting; then it need not be hashed. */
  async #judgeNow(guess: Guess): Promise<Judgement> {
    const standing = this.#standingOf(guess)
    if (standing === 'right' || standing === 'wrong') {
      return { isRight: standing === 'right', restMs: 0 }
    }
    const { offered, passwordHash } = guess
    const isRight = await this.#hashTimes.measure(() => isPassword(offered.password, passwordHash))
    this.#verdicts.set(verdictKey(guess), isRight)
    if (!isRight) {
      return { isRight, restMs: (wrongAnswerHashTimes - 1) * this.#hashTimes.medianMs() }
    }
    this.#fingerprints.set(offered.username, {
      fingerprint: fingerprintOf(offered.digest),
      passwordHash,
    })
    return { isRight, restMs: 0 }
  }

  #expectedFingerprint({ offered: { username }, passwordHash, isDecoy }: Guess) {
    if (isDecoy) return fingerprintOf(this.digestOf({ username, password: this.#decoyPassword }))
    const known = this.#fingerprints.get(username)
    return known?.passwordHash === passwordHash ? known.fingerprint : undefined
  }

  async #delayWrongAnswer(untilMs: number): Promise<void> {
    const leftMs = untilMs - performance.now()
    if (leftMs <= 0 || this.#delayedCount >= delayedMax) return
    this.#delayedCount += 1
    await new Promise((answer) => setTimeout(answer, leftMs).unref())
    this.#delayedCount -= 1
  }

  #wrongAnswerMs(): number {
    return Math.min(wrongAnswerHashTimes * this.#hashTimes.medianMs(), wrongAnswerMsMax)
  }
}

type Standing = 'right' | 'likely' | 'unproven' | 'wrong'

interface Guess {
  offered: OfferedPassword
  /** Of the account, or of the decoy. */
  passwordHash: string
  isDecoy: boolean
}

const verdictKey = ({ offered, passwordHash }: Guess): string => `${offered.digest} ${passwordHash}`

// Two characters of base64 are 12 bits.
const fingerprintOf = (digest: string): string => digest.slice(0, 2)
