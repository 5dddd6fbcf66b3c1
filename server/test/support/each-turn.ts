import type { TestContext } from 'node:test'

/** Calls back at each turn of the event loop that others have. */
export function onEachTurn(t: Pick<TestContext, 'after'>, act: () => void): void {
  const next = () => {
    act()
    turn = setImmediate(next)
  }
  let turn = setImmediate(next)
  t.after(() => clearImmediate(turn))
}
