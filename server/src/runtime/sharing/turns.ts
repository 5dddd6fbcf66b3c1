import { type LongWork, NextTurns } from './next-turns.ts'

const turnMs = 2

const nextTurns = new NextTurns()
let worksCount = 0

/**
 * Long work on the event loop, in turns: between them, others have theirs. All long works of the process
 * share one turn in each round of the loop, so that many of them together hold up nobody for longer.
 */
export class Turns {
  readonly #work: LongWork
  #endsAtMs = performance.now() + turnMs

  /** The works of one account share its turns, in order; a work of no account has its own. */
  constructor(accountId?: string) {
    worksCount += 1
    this.#work = { account: accountId ?? this, number: worksCount }
  }

  /** To be asked after each small piece of work. */
  get isOver(): boolean {
    return performance.now() >= this.#endsAtMs
  }

  /** Resolves when the work may go on. */
  async next(): Promise<void> {
    await nextTurns.wait(this.#work)
    this.#endsAtMs = performance.now() + turnMs
  }
}

/**
 * Does in turns what yields after each small piece of work. It waits for its first turn too: where many works
 * begin in one round of the loop, each would otherwise begin with a turn of its own.
 */
export async function runInTurns<Result>(
  steps: Iterator<unknown, Result>,
  accountId?: string,
): Promise<Result> {
  const turns = new Turns(accountId)
  await turns.next()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (turns.isOver) await turns.next()
  }
}

/** Works through a list in turns, in order. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
  accountId?: string,
): Promise<Result[]> {
  const turns = new Turns(accountId)
  const results: Result[] = []
  for (const item of items) {
    if (turns.isOver) await turns.next()
    results.push(work(item))
  }
  return results
}
