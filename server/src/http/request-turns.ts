import { Failure } from '../domain/failure.ts'
import type { ServedAccounts } from '../runtime/sharing/served-accounts.ts'

/** Of an account in one round of the event loop: so few that others hardly notice. */
const begunBesideOthersMax = 2
/** As many as hold up the first request of another account for some milliseconds. */
const begunMax = 32
/** Of an account at once: as many as share a commit well. */
const heldMax = 64
/** So few that a connection to the store is soon free for the others. */
const heldBesideOthersMax = 16
const waitingMax = 1_000

interface Flow {
  /** Since the last round in which it began as many as it may. */
  begunCount: number
  heldCount: number
  readonly waiting: (() => void)[]
}

/**
 * Fair queueing of quick requests by account: some of each are begun in a round of the event loop, and some
 * are handled at once. Otherwise all that one account sends at once would come before each step of another's.
 */
export class RequestTurns {
  readonly #flows = new Map<string, Flow>()
  /** The accounts that have a request. */
  #activeCount = 0
  #isRoundFull = false
  readonly #served: Pick<ServedAccounts, 'areSeveral'>

  constructor(served: Pick<ServedAccounts, 'areSeveral'>) {
    this.#served = served
  }

  /** Without a promise where the request can be handled at once: that would cost a turn of the event loop. */
  handle<Result>(accountId: string, act: () => Result | Promise<Result>): Result | Promise<Result> {
    const flow = this.#flows.get(accountId) ?? this.#add(accountId)
    if (!this.#mayBegin(flow)) return this.#handleInTurn(flow, act)
    this.#begin(flow)
    const result = act()
    if (!(result instanceof Promise)) return result
    this.#hold(flow)
    return result.finally(() => this.#release(flow))
  }

  #add(accountId: string): Flow {
    const flow = { begunCount: 0, heldCount: 0, waiting: [] }
    this.#flows.set(accountId, flow)
    return flow
  }

  #mayBegin({ begunCount, heldCount }: Flow): boolean {
    const isAlone = this.#activeCount <= 1
    return begunCount < this.#begunMax && heldCount < (isAlone ? heldMax : heldBesideOthersMax)
  }

  #handleInTurn<Result>(flow: Flow, act: () => Result | Promise<Result>): Promise<Result> {
    if (flow.waiting.length >= waitingMax) throw tooManyWaiting()
    return new Promise<void>((resolve) => flow.waiting.push(resolve))
      .then(act)
      .finally(() => this.#release(flow))
  }

  get #begunMax(): number {
    return this.#served.areSeveral ? begunBesideOthersMax : begunMax
  }

  #begin(flow: Flow): void {
    flow.begunCount += 1
    if (flow.begunCount < begunBesideOthersMax || this.#isRoundFull) return
    this.#isRoundFull = true
    setImmediate(() => this.#beginRound())
  }

  #hold(flow: Flow): void {
    if (flow.heldCount === 0) this.#activeCount += 1
    flow.heldCount += 1
  }

  #release(flow: Flow): void {
    flow.heldCount -= 1
    if (flow.heldCount === 0) this.#activeCount -= 1
    this.#grant(flow)
  }

  #beginRound(): void {
    this.#isRoundFull = false
    for (const [accountId, flow] of this.#flows) {
      flow.begunCount = 0
      this.#grant(flow)
      if (flow.heldCount === 0) this.#flows.delete(accountId)
    }
  }

  #grant(flow: Flow): void {
    while (flow.waiting.length > 0 && this.#mayBegin(flow)) {
      this.#begin(flow)
      this.#hold(flow)
      flow.waiting.shift()?.()
    }
  }
}

export const tooManyWaiting = () =>
  new Failure('RATE_LIMITED', 'Too many requests of this account wait to be handled. Wait.', {
    retryAfterSeconds: 1,
  })
