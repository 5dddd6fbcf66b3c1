import { Failure } from '../domain/failure.ts'

/** What became of a guess, and how long a rest its flow owes for it. */
export interface Judgement {
  isRight: boolean
  restMs: number
}

// So many rests may be owed: a burst does not keep the right password among it waiting.
const restsOwedMax = 32

/**
 * Passwords that only a hash can judge, in flows: one flow is one source of guesses and one account. A
 * flow has one guess judged at a time, so flows that share a semaphore take turns, and a flood delays
 * another flow by one guess. Nothing tells a right password from a wrong one before it is hashed, so
 * none is refused unless `pendingMax` are waiting. A flow that goes on guessing rests in between.
 */
export class GuessQueue {
  readonly #pendingMax: number
  readonly #flows = new Map<string, Flow>()
  #pendingCount = 0

  constructor(limits: { pendingMax: number }) {
    this.#pendingMax = limits.pendingMax
  }

  /** Calls `judge` when it is the turn of this guess. */
  async run(flowName: string, judge: () => Promise<Judgement>): Promise<boolean> {
    if (this.#pendingCount >= this.#pendingMax) this.#shedOne()
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const flow = this.#flows.get(flowName) ?? this.#open(flowName)
    flow.waiting.push({ judge, resolve, reject })
    if (!flow.isServed) void this.#serve(flowName, flow)
    this.#pendingCount += 1
    try {
      return await promise
    } finally {
      this.#pendingCount -= 1
    }
  }

  #open(flowName: string): Flow {
    const flow = { waiting: [], takenCount: 0, isServed: false, restedAtMs: 0 }
    this.#flows.set(flowName, flow)
    return flow
  }

  async #serve(flowName: string, flow: Flow): Promise<void> {
    flow.isServed = true
    for (let guess = takeNext(flow); guess; guess = takeNext(flow)) {
      try {
        const { isRight, restMs } = await guess.judge()
        guess.resolve(isRight)
        const nowMs = performance.now()
        flow.restedAtMs = Math.max(flow.restedAtMs, nowMs) + restMs
        const overdueMs = flow.restedAtMs - nowMs - restsOwedMax * restMs
        if (overdueMs > 0) await new Promise((next) => setTimeout(next, overdueMs).unref())
      } catch (error) {
        guess.reject(error)
      }
    }
    flow.isServed = false
    // What a flow owes is forgotten once it has rested for as long.
    const leftMs = flow.restedAtMs - performance.now()
    setTimeout(() => this.#closeIdle(flowName, flow), Math.max(1, leftMs)).unref()
  }

  #closeIdle(flowName: string, flow: Flow): void {
    const isOwing = flow.restedAtMs > performance.now()
    if (!flow.isServed && !isOwing) this.#flows.delete(flowName)
  }

  /** The longest flow pays, in its middle, since both of its ends are judged soon; or else the newcomer. */
  #shedOne(): void {
    let longest: Flow | undefined
    for (const flow of this.#flows.values()) {
      if (flow.waiting.length > (longest?.waiting.length ?? 0)) longest = flow
    }
    const [guess] = longest?.waiting.splice(longest.waiting.length >> 1, 1) ?? []
    const refusal = new Failure(
      'RATE_LIMITED',
      'Too many passwords wait to be checked. Try again in a second.',
      { retryAfterSeconds: 1 },
    )
    if (!guess) throw refusal
    guess.reject(refusal)
  }
}

interface Flow {
  waiting: Guess[]
  takenCount: number
  isServed: boolean
  /** When everything that the flow owes will have been rested. */
  restedAtMs: number
}

interface Guess {
  judge: () => Promise<Judgement>
  resolve: (isRight: boolean) => void
  reject: (error: unknown) => void
}

/** Newest and oldest in turn, so that guesses before or after the right password do not bury it. */
function takeNext(flow: Flow): Guess | undefined {
  flow.takenCount += 1
  return flow.takenCount % 2 === 0 ? flow.waiting.pop() : flow.waiting.shift()
}
