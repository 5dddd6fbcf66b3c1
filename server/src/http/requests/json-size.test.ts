import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachTurn } from '../../../test/support/each-turn.ts'
import { requireModestJson } from './json-size.ts'

const sender = { sharer: 'account', hasDisconnected: () => false }

test('others have turns while a large body is looked through', async (t) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs++)
  let othersTurns = 0
  onEachTurn(t, () => {
    othersTurns += 1
  })

  await requireModestJson(Buffer.from(JSON.stringify('a'.repeat(5 * 2 ** 20))), sender)

  assert.ok(othersTurns >= 10, `There were ${othersTurns} turns.`)
})

test('a body that is nested too deep is refused before it is parsed', async () => {
  const nested = (depth: number) => Buffer.from(`${'['.repeat(depth)}${']'.repeat(depth)}`)

  await requireModestJson(nested(1_000), sender)
  await assert.rejects(requireModestJson(nested(1_001), sender), /nested 1000 deep at most/)
  await assert.rejects(
    requireModestJson(Buffer.from('['.repeat(2_001)), sender),
    /nested 1000 deep/,
  )
})

test('a body whose sender has disconnected is looked through no further', async () => {
  const body = Buffer.from(JSON.stringify('a'.repeat(5 * 2 ** 20)))

  await assert.rejects(requireModestJson(body, { ...sender, hasDisconnected: () => true }), {
    code: 'CANCELLED',
  })
})
