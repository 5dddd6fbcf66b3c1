import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printableJson } from './printable-json.ts'

test('what cannot be seen is escaped, and is the same when it is read', () => {
  const text = 'a\u007fb\u202ec\u2028d\ufeffe\u{e0041}f\ud800g'

  const json = printableJson({ text })

  assert.equal(json, String.raw`{"text":"a\u007fb\u202ec\u2028d\ufeffe\udb40\udc41f\ud800g"}`)
  assert.deepEqual(JSON.parse(json), { text })
})

test('letters of all languages stay as they are', () => {
  assert.equal(printableJson('Grüße, 東京 🐟'), '"Grüße, 東京 🐟"')
})
