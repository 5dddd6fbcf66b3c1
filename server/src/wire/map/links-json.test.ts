import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachTurn } from '../../../test/support/each-turn.ts'
import { linksJson } from './links-json.ts'

const linksOf = (count: number) =>
  Array.from({ length: count }, (_, number) => ({
    url: `https://shop.test/${number}/caf%C3%A9-"é`,
    source: 'sitemap',
  }))

test('a list of links becomes the JSON of the list, however long it is', async () => {
  for (const count of [0, 1, 499, 500, 501, 1_001]) {
    const links = linksOf(count)

    assert.equal((await linksJson(links)).toString(), JSON.stringify(links))
  }
})

test('others have their turns while a long list of links becomes JSON', async (t) => {
  let nowMs = 0
  // A millisecond for each piece.
  t.mock.method(performance, 'now', () => nowMs++)
  let othersTurns = 0
  onEachTurn(t, () => {
    othersTurns += 1
  })

  await linksJson(linksOf(50_000))

  assert.ok(othersTurns >= 15, `There were ${othersTurns} turns in 100 ms of work.`)
})
