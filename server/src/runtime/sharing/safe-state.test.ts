import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSafe } from './safe-state.ts'

const holding = (held: number, claim: number, accountId = 'a') => ({ accountId, held, claim })

for (const [what, holdings, expected] of [
  ['nothing is held', [], true],
  ['one can finish, then the other', [holding(4, 7), holding(2, 9)], true],
  ['neither can finish', [holding(4, 9), holding(4, 9)], false],
  ['more is held than there is', [holding(6, 6), holding(5, 5, 'b')], false],
  [
    'the last can finish and sets the others free',
    [holding(3, 7), holding(3, 6), holding(2, 3)],
    true,
  ],
  [
    'an account cannot finish within its own limit',
    [holding(4, 9, 'b'), holding(5, 9, 'b')],
    false,
  ],
  ['each account can finish within its own', [holding(3, 9), holding(4, 7, 'b')], true],
] as const) {
  test(`a budget of 10, of which an account may have 9: ${what}`, () => {
    assert.equal(isSafe(holdings, { total: 10, accountMax: 9 }), expected)
  })
}
