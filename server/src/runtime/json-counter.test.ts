import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonCounter } from './json-counter.ts'

const samples = [
  null,
  [],
  {},
  [[], {}, [[]], [1, [2, 3], { a: [] }]],
  { a: 1, b: { c: 'x', d: [true, false, null, -1.5e3] }, e: '' },
  ['[{,]}', '"', '\\', '\\"', '"\\\\,', { '",[': 'é\u2028,\u{1f41f}' }],
]

test('the values of JSON are counted wherever it is cut', () => {
  for (const sample of samples) {
    for (const text of [JSON.stringify(sample), JSON.stringify(sample, null, 2)]) {
      const bytes = Buffer.from(text)
      for (let size = 1; size <= bytes.length; size += 1) {
        const counter = new JsonCounter()
        for (let start = 0; start < bytes.length; start += size) {
          counter.add(bytes.subarray(start, start + size))
        }
        const escapes = text.match(/\\./g)?.length ?? 0
        assert.deepEqual(
          { values: counter.values, escapes: counter.escapes, depth: counter.depthMax },
          { values: valuesIn(sample), escapes, depth: depthOf(sample) },
          text,
        )
      }
    }
  }
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, inner) => sum + valuesIn(inner), 1)
}
