import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJson } from './read-json.ts'

test('valid JSON is parsed', () => {
  assert.deepEqual(readJson('{"a":[1,null]}'), { value: { a: [1, null] } })
})

const broken: [what: string, text: string, position: string | undefined][] = [
  ['a word without quotes', '{"password":canary}', 'line 1, column 13'],
  ['a comma too many in a list', '["canary",\n  "canary",\n]', 'line 3, column 1'],
  ['a comma too many in an object', '{"password": "canary",\n}', 'line 2, column 1'],
  ['a missing comma', '["canary"\r\n "canary"]', 'line 2, column 2'],
  ['a misspelt literal', '[true, falsy]', 'line 1, column 12'],
  ['a position in single quotes', "{'canary': '(line 9 column 9)'}", 'line 1, column 2'],
  ['a quoted position', '["(line 9 column 9)", canary (line 8 column 8)', 'line 1, column 23'],
  ['a line break in a text', '["canary\n"]', 'line 1, column 9'],
  ['a word alone', 'canary', 'line 1, column 1'],
  ['a text that is cut off', '["canary', 'line 1, column 9'],
  ['a byte order mark', '\uFEFF["canary"]', 'line 1, column 1'],
  ['an empty text', '', undefined],
  ['a list that is cut off', '["canary",', undefined],
]

for (const [what, text, position] of broken) {
  test(`${what} is reported by its position, without quoting the text`, () => {
    const problem = position ? `must be JSON: see ${position}` : 'must be JSON'

    assert.deepEqual(readJson(text), { problem })
  })
}

test('the position of an error at the end of a long text is found', () => {
  const text = `[${'"canary",\n'.repeat(100_000)}canary]`

  assert.deepEqual(readJson(text), { problem: 'must be JSON: see line 100001, column 1' })
})
