import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachTurn } from '../../../test/support/each-turn.ts'
import { requireModestJson } from './json-size.ts'

test('others have turns while a large body is looked through', async (t) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs++)
  let othersTurns = 0
  onEachTurn(t, () => {
    othersTurns += 1
  })

  await requireModestJson(Buffer.from(JSON.stringify('a'.repeat(5 * 2 ** 20))))

  assert.ok(othersTurns >= 10, `There were ${othersTurns} turns.`)
})
