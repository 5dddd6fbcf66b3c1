import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { isJson } from './is-json.ts'

const judge = (text: string): boolean => isJson(Buffer.from(text))

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('any value that JSON.stringify writes is valid, with any whitespace', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2, '\t'), (value, space) => {
      assert.ok(judge(` ${JSON.stringify(value, null, space)}\r\n`))
    }),
  )
})

test('random texts close to JSON get the same verdict as from JSON.parse', () => {
  const pieces = ['{', '}', '[', ']', ',', ':', '"', '"a"', '1', '-', '0', '.5', 'e3', 'E+', 'true']
  const more = ['null', 'nul', '\\', '\\u00e', '\\u00E9', '\\n', '\n', ' ', '\u0001', 'ü', '\ufeff']

  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      assert.equal(judge(text), parses(text), JSON.stringify(text))
    }),
    { numRuns: 20_000 },
  )
})

const texts = [
  ...['', ' ', '{}', '[]', '[[]]', '{"a":{}}', '[{},[]]', '[,]', '[1,]', '{,}', '{"a":1,}'],
  ...['{"a"}', '{a:1}', '{1:1}', '[}', '{]', '[]]', '[[]', '1 2', '"a" "b"', "'a'", '//x\n1'],
  ...['0', '-0', '01', '-', '+1', '1.', '.1', '1.0e5', '1e', '1e+', '1E-09', '0x1', 'NaN'],
  ...['"', '"\\"', '"\\x"', '"\\u12"', '"\\uD800"', '"\t"', '"\u007f"', 'tru', 'truee', 'nullx'],
]

for (const text of texts) {
  test(`the text ${JSON.stringify(text)} gets the same verdict as from JSON.parse`, () => {
    assert.equal(judge(text), parses(text))
  })
}

test('a document nested deeper than 1,000 levels is refused', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

  assert.equal(judge(nested(1_000)), true)
  assert.equal(judge(nested(1_001)), false)
  assert.equal(judge('{"a":'.repeat(1_000_000)), false)
})
