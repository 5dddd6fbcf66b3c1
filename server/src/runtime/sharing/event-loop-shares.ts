import type { ServedAccounts } from './served-accounts.ts'

/** How much of the event loop an account may take without a rest. */
const takenMsMax = 1
/** While other accounts are served, an account then leaves the event loop to them for so many times as long. */
const restFactor = 5
const waitingMax = 1_000

interface Account {
  /** What it has taken of the event loop since its last rest, less what it has left to others meanwhile. */
  takenMs: number
  endedAtMs: number
  isResting: boolean
  readonly waiting: (() => void)[]
}

/**
 * Fair shares of the event loop for work that cannot be interrupted, such as the validation of a request: an
 * account whose work takes long rests before its next work. Otherwise a few connections that keep sending such
 * requests would take all of the event loop.
 */
export class EventLoopShares {
  readonly #accounts = new Map<string, Account>()
  readonly #served: ServedAccounts
  readonly #tooManyWait: () => Error

  constructor(options: { served: ServedAccounts; tooManyWait: () => Error }) {
    this.#served = options.served
    this.#tooManyWait = options.tooManyWait
  }

  /** Without a promise where the work is done at once: that would cost a turn of the event loop. */
  run<Result>(accountId: string, work: () => Result): Result | Promise<Result> {
    this.#served.notice(accountId)
    const startedAtMs = performance.now()
    const account = this.#accounts.get(accountId) ?? this.#add(accountId, startedAtMs)
    if (account.isResting) return this.#wait(account, work)
    try {
      return work()
    } finally {
      this.#take(account, startedAtMs)
    }
  }

  #add(accountId: string, endedAtMs: number): Account {
    const account = { takenMs: 0, endedAtMs, isResting: false, waiting: [] }
    this.#accounts.set(accountId, account)
    return account
  }

  #wait<Result>(account: Account, work: () => Result): Promise<Result> {
    if (account.waiting.length >= waitingMax) throw this.#tooManyWait()
    return new Promise((resolve, reject) => {
      account.waiting.push(() => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  #take(account: Account, startedAtMs: number): void {
    const nowMs = performance.now()
    const leftMs = (startedAtMs - account.endedAtMs) / restFactor
    account.takenMs = Math.max(0, account.takenMs - leftMs) + nowMs - startedAtMs
    account.endedAtMs = nowMs
    if (account.takenMs > takenMsMax) this.#rest(account)
  }

  /** At least for a round of the event loop, in which others begin. */
  #rest(account: Account): void {
    account.isResting = true
    const goOn = () => this.#goOn(account)
    if (this.#served.areSeveral) setTimeout(goOn, account.takenMs * restFactor)
    else setImmediate(goOn)
  }

  #goOn(account: Account): void {
    account.isResting = false
    account.takenMs = 0
    account.endedAtMs = performance.now()
    while (!account.isResting) {
      const next = account.waiting.shift()
      if (!next) return
      const startedAtMs = performance.now()
      next()
      this.#take(account, startedAtMs)
    }
  }
}
