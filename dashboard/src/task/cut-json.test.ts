import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutJson } from './cut-json.ts'

const value = {
  url: 'http://a.test/',
  list: [1, [], {}, null, true],
  deep: { text: 'two\n"lines"', none: undefined },
  empty: {},
}

test('a short value is what JSON.stringify makes of it', () => {
  assert.deepEqual(cutJson(value, 1_000), { text: JSON.stringify(value, null, 2), isCut: false })
  for (const one of ['cod', 7, null, [], {}]) {
    assert.equal(cutJson(one, 100).text, JSON.stringify(one))
  }
})

test('a long one is cut at the length asked for, wherever that is', () => {
  const whole = JSON.stringify(value, null, 2)
  for (let length = 1; length < whole.length; length++) {
    const { text, isCut } = cutJson(value, length)
    assert.equal(isCut, true, String(length))
    assert.equal(text.length, length)
    assert.equal(text.slice(0, -2), whole.slice(0, Math.max(0, length - 2)))
  }
})

test('values beyond the cut are not even read', () => {
  const trap = {
    first: 'x'.repeat(100),
    get second(): string {
      return 'y'
    },
  }
  const list = [trap, Object.defineProperty({}, 'third', { enumerable: true, get: assert.fail })]

  assert.equal(cutJson(list, 50).isCut, true)
})
