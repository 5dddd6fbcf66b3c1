import { Failure } from '../domain/failure.ts'

/** Whether a guess was right, and the pause (cooldown) that its flow owes for it. */
export interface GuessResult {
  isRight: boolean
  cooldownMs: number
}

// A flow may owe this many cooldowns before it pauses: a burst does not delay the right password in it.
const cooldownsOwedMax = 32

/**
 * Queues password guesses that have to be hashed, round robin over flows. A flow is one network and one
 * account. It has one guess checked at a time, so a flood (brute force) delays another flow by one guess.
 * No guess is refused until `pendingMax` are waiting: before hashing, right and wrong look the same.
 */
export class GuessQueue {
  readonly #pendingMax: number
  readonly #flows = new Map<string, Flow>()
  #pendingCount = 0

  constructor(limits: { pendingMax: number }) {
    this.#pendingMax = limits.pendingMax
  }

  /** Calls `check` when it is the turn of this guess. */
  async run(flowName: string, check: () => Promise<GuessResult>): Promise<boolean> {
    if (this.#pendingCount >= this.#pendingMax) this.#shedOne()
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const flow = this.#flows.get(flowName) ?? this.#open(flowName)
    flow.waiting.push({ check, resolve, reject })
    if (!flow.isRunning) void this.#runFlow(flowName, flow)
    this.#pendingCount += 1
    try {
      return await promise
    } finally {
      this.#pendingCount -= 1
    }
  }

  #open(flowName: string): Flow {
    const flow = { waiting: [], takenCount: 0, isRunning: false, cooledDownAtMs: 0 }
    this.#flows.set(flowName, flow)
    return flow
  }

  async #runFlow(flowName: string, flow: Flow): Promise<void> {
    flow.isRunning = true
    for (let guess = takeNext(flow); guess; guess = takeNext(flow)) {
      try {
        const { isRight, cooldownMs } = await guess.check()
        guess.resolve(isRight)
        const nowMs = performance.now()
        flow.cooledDownAtMs = Math.max(flow.cooledDownAtMs, nowMs) + cooldownMs
        const pauseMs = flow.cooledDownAtMs - nowMs - cooldownsOwedMax * cooldownMs
        if (pauseMs > 0) await new Promise((next) => setTimeout(next, pauseMs).unref())
      } catch (error) {
        guess.reject(error)
      }
    }
    flow.isRunning = false
    // The flow is forgotten once it has been idle for as long as it owes.
    const leftMs = flow.cooledDownAtMs - performance.now()
    setTimeout(() => this.#closeIdle(flowName, flow), Math.max(1, leftMs)).unref()
  }

  #closeIdle(flowName: string, flow: Flow): void {
    const isOwing = flow.cooledDownAtMs > performance.now()
    if (!flow.isRunning && !isOwing) this.#flows.delete(flowName)
  }

  /** Load shedding: rejects the middle of the longest flow, whose ends are checked soon, or the new guess. */
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
  isRunning: boolean
  /** When the flow owes no cooldown any more. */
  cooledDownAtMs: number
}

interface Guess {
  check: () => Promise<GuessResult>
  resolve: (isRight: boolean) => void
  reject: (error: unknown) => void
}

/** Alternates oldest and newest, so that a flood before or after the right password cannot delay it. */
function takeNext(flow: Flow): Guess | undefined {
  flow.takenCount += 1
  return flow.takenCount % 2 === 0 ? flow.waiting.pop() : flow.waiting.shift()
}
