import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitShellWords } from './split-shell-words.ts'

const wordsOf = (text: string) => splitShellWords(text).words

test('quotes, escapes and continued lines make words as in a shell', () => {
  assert.deepEqual(wordsOf(`a 'b "c' "d 'e" f\\ g h''i "" \\\n j\\\nk`), [
    'a',
    'b "c',
    "d 'e",
    'f g',
    'hi',
    '',
    'jk',
  ])
  assert.deepEqual(wordsOf(String.raw`"a\"b\\c\$d\e" 'f\'g'`.replace("'f\\'g'", `'f'\\''g'`)), [
    String.raw`a"b\c$d\e`,
    "f'g",
  ])
})

test("the escapes of $'…' are those of bash", () => {
  assert.deepEqual(wordsOf(String.raw`$'a\tb\'c\\\x41\101\u00e9\U1F41F\ud83d\udc1f\q\cA'`), [
    "a\tb'c\\AAé🐟🐟\\q\x01",
  ])
  // Bytes of UTF-8, and bytes that can only be Latin-1.
  assert.deepEqual(wordsOf(String.raw`$'\xc3\xa9\303\251' $'\xe9!'`), ['éé', 'é!'])
})

test('a command ends where a shell would end it', () => {
  assert.deepEqual(splitShellWords('# first\n\na b#c # d\ne f'), {
    words: ['a', 'b#c'],
    leftOut: ['what follows the command: e f'],
  })
  assert.deepEqual(splitShellWords('a http://b.test/?c=1&d=2'), {
    words: ['a', 'http://b.test/?c=1'],
    leftOut: ['what follows the command: &d=2'],
  })
})

test('variables stay as they are written, and are told', () => {
  assert.deepEqual(splitShellWords(`a "$B \${C:-d}" '$E' $ \\$F`), {
    words: ['a', `$B \${C:-d}`, '$E', '$', '$F'],
    leftOut: ['the value of $B', `the value of \${C:-d}`],
  })
})
