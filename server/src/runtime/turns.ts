import { setImmediate as nextTurn } from 'node:timers/promises'

const turnMs = 5

/** Long work on the event loop, in turns: between them, others have theirs. */
export class Turns {
  #endsAtMs = performance.now() + turnMs

  /** To be asked after each small piece of work. */
  get isOver(): boolean {
    return performance.now() >= this.#endsAtMs
  }

  /** Resolves when the work may go on. */
  async next(): Promise<void> {
    await nextTurn()
    this.#endsAtMs = performance.now() + turnMs
  }
}
