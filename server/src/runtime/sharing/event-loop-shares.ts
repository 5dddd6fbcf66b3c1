import type { ServedAccounts } from './served-accounts.ts'

/** How much of the event loop an account may take without a rest. */
const takenMsMax = 1
/** No work takes longer: what seems to has stood still with its process. */
const workMsMax = 100
/** While other accounts are served, an account then leaves the event loop to them for so many times as long. */
const restFactor = 5
const waitingMax = 1_000

interface Account {
  /** What it has taken of the event loop since its last rest, less what it has left to others meanwhile. */
  takenMs: number
  endedAtMs: number
  isResting: boolean
  /** A set keeps the order, and lets anyone leave. */
  readonly waiting: Set<() => number>
}

interface WorkOptions {
  /** Is told how to leave when the work has to wait, and returns what ends its watch. */
  watch?: ((leave: (reason: unknown) => void) => () => void) | undefined
  /** What the work will take of the event loop later, in steps that cannot be measured. */
  laterMs?: number
}

/**
 * Fair shares of the event loop for work that cannot be interrupted, such as the validation of a request: an
 * account whose work takes long rests before its next work. Otherwise a few connections that keep sending such
 * requests would take all of the event loop. Who has no account shares by address.
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
  run<Result>(
    accountId: string,
    work: () => Result,
    options: WorkOptions = {},
  ): Result | Promise<Result> {
    this.#served.notice(accountId)
    const startedAtMs = performance.now()
    const account = this.#accounts.get(accountId) ?? this.#add(accountId, startedAtMs)
    if (account.isResting) return this.#wait(account, work, options)
    try {
      return work()
    } finally {
      this.#take(accountId, account, { startedAtMs, laterMs: options.laterMs ?? 0 })
    }
  }

  #add(accountId: string, endedAtMs: number): Account {
    const account = { takenMs: 0, endedAtMs, isResting: false, waiting: new Set<() => number>() }
    this.#accounts.set(accountId, account)
    return account
  }

  #wait<Result>(
    { waiting }: Account,
    work: () => Result,
    { watch, laterMs = 0 }: WorkOptions,
  ): Promise<Result> {
    if (waiting.size >= waitingMax) throw this.#tooManyWait()
    return new Promise((resolve, reject) => {
      const begin = () => {
        waiting.delete(begin)
        stopWatching?.()
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
        return laterMs
      }
      waiting.add(begin)
      // Who leaves is forgotten at once, as the work may hold megabytes.
      const stopWatching = watch?.((reason) => {
        waiting.delete(begin)
        reject(reason)
      })
    })
  }

  #take(
    accountId: string,
    account: Account,
    { startedAtMs, laterMs }: { startedAtMs: number; laterMs: number },
  ): void {
    const nowMs = performance.now()
    const leftMs = Math.max(0, startedAtMs - account.endedAtMs) / restFactor
    const workMs = Math.min(Math.max(0, nowMs - startedAtMs), workMsMax)
    account.takenMs = Math.max(0, account.takenMs - leftMs) + workMs + laterMs
    account.endedAtMs = nowMs
    if (account.takenMs > takenMsMax) this.#rest(accountId, account)
  }

  /** At least for a round of the event loop, in which others begin. */
  #rest(accountId: string, account: Account): void {
    account.isResting = true
    const goOn = () => this.#goOn(accountId, account)
    if (this.#served.areSeveral) setTimeout(goOn, account.takenMs * restFactor)
    else setImmediate(goOn)
  }

  #goOn(accountId: string, account: Account): void {
    account.isResting = false
    account.takenMs = 0
    account.endedAtMs = performance.now()
    while (!account.isResting) {
      const [begin] = account.waiting
      if (!begin) return void this.#accounts.delete(accountId)
      const startedAtMs = performance.now()
      const laterMs = begin()
      this.#take(accountId, account, { startedAtMs, laterMs })
    }
  }
}
