import { setImmediate as nextTurn } from 'node:timers/promises'

const turnMs = 2

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

/** Works through a list in turns, in order. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
): Promise<Result[]> {
  const turns = new Turns()
  const results: Result[] = []
  for (const item of items) {
    if (turns.isOver) await turns.next()
    results.push(work(item))
  }
  return results
}
