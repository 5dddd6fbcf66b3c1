import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachTurn } from '../../test/support/each-turn.ts'
import { Turns } from './turns.ts'

test('others have their turn after every few milliseconds of long work', async (t) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  let othersTurns = 0
  onEachTurn(t, () => {
    othersTurns += 1
  })
  const turns = new Turns()

  for (let piece = 0; piece < 100; piece += 1) {
    if (turns.isOver) await turns.next()
    nowMs += 1
  }

  assert.ok(othersTurns >= 19, `There were ${othersTurns} turns in 100 ms of work.`)
})
