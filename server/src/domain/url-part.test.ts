import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldCase } from './url-part.ts'

test('folding the case makes no text longer', () => {
  const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))

  assert.deepEqual(
    all.filter((text) => foldCase(text).length > text.length),
    [],
  )
  assert.equal(foldCase('https://A.test/İÄ?Q'), 'https://a.test/iä?q')
})
