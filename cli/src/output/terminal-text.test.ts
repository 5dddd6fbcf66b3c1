import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { terminalJson } from './terminal-text.ts'

const obeyed = /[\p{C}\p{Zl}\p{Zp}]/u

test('JSON for a terminal is the same document without a character that a terminal obeys', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const json = terminalJson(JSON.stringify({ text }, null, 2))

      assert.deepEqual(JSON.parse(json), { text })
      assert.doesNotMatch(json.replaceAll('\n', ''), obeyed)
    }),
  )
})
