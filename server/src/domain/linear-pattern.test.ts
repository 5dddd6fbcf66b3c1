import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LinearPattern, readLinearPattern } from './linear-pattern.ts'

function patternOf(text: string): LinearPattern {
  const read = readLinearPattern(text)
  assert.ok(!('fault' in read), text)
  return read
}

const found: [pattern: string, text: string, isFound: boolean][] = [
  ['^!', '! kept', true],
  ['^!', 'not !', false],
  ['/^keep me/i', 'Keep Me', true],
  ['/^b$/m', 'a\nb\nc', true],
  ['/a.c/s', 'a\nc', true],
  ['a.c', 'a\nc', false],
  ['\\bads\\b', 'no ads here', true],
  ['\\u00e9[^]\\x41', 'é\nA', true],
  ['(?<year>\\d{4})-\\d{2}', 'in 2024-05', true],
  ['\\{\\{[\\s\\S]*?\\}\\}', 'a {{ b }} c', true],
  ['{{(a|b)*}}', '{{abba}}', true],
  ['a\\/b', 'a/b', true],
  ['a|b+?', 'xb', true],
  ['[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', '01a1def5-68ae-7e29-9849-4f82ca93e413', true],
]

for (const [pattern, text, isFound] of found) {
  test(`the pattern ${pattern} ${isFound ? 'matches' : 'does not match'} ${JSON.stringify(text)}`, () => {
    assert.equal(patternOf(pattern).test(text), isFound)
  })
}

/** An engine that backtracks would take years for each of them. */
const hostile: [pattern: string, text: string, isFound: boolean][] = [
  ['a?'.repeat(60) + 'a'.repeat(60), 'a'.repeat(60), true],
  ['(a+)+$', `${'a'.repeat(50_000)}!`, false],
  ['^(a|a)*b', 'a'.repeat(50_000), false],
  ['(.*)*(.*)*=x', '='.repeat(50_000), false],
]

for (const [pattern, text, isFound] of hostile) {
  test(`the pattern ${pattern.slice(0, 20)} does not backtrack`, () => {
    assert.equal(patternOf(pattern).test(text), isFound)
  })
}

test('matches are found from a place on', () => {
  const find = patternOf('<%[^]*?%>').finderIn('<% a %> b <% c %>')

  assert.deepEqual(
    [0, 1, 11, 17, 18].map((from) => find(from)),
    [{ start: 0, end: 7 }, { start: 10, end: 17 }, undefined, undefined, undefined],
  )
})

const refused: Record<string, RegExp> = {
  '': /regular expression$/,
  '(': /regular expression$/,
  '/[/i': /regular expression$/,
  '(?=a)': /without lookaround/,
  'a(?!b)': /without lookaround/,
  '(?<=a)b': /without lookaround/,
  '(?<!a)b': /without lookaround/,
  '(a)\\1': /backreferences/,
  '(?<n>a)\\k<n>': /backreferences/,
  '\\\\\\1': /backreferences/,
  '/\\p{L}/u': /Unicode classes/,
  '/[a&&b]/v': /linear time/,
  '\\Q[\\E(a){400}]': /linear time/,
  'a{501}': /at most 500 characters/,
  'a{500,}': /at most 500 characters/,
  '(?:(?:a{10}){10}){10}': /at most 500 characters/,
  '(abc[d(]){101}': /at most 500 characters/,
  '(()()()()()){100}': /at most 500 characters/,
  '/[a-\\uffff]/i': /ignores case/,
  '/[\\u{61}-\\u{1ffff}]/iu': /ignores case/,
  '(?i:[a-\uffff])': /ignores case/,
  '/[--\\uffff]/i': /ignores case/,
  '/[^\\\\ufffe-\\uffff]/i': /ignores case/,
  '/[\\x00-\\u1000\\u2000-\\u9000]{2}/i': /ignores case/,
  'a{99}b{99}c{99}d{99}e{99}f{99}': /at most 500 characters/,
}

for (const [pattern, fault] of Object.entries(refused)) {
  test(`the pattern ${JSON.stringify(pattern)} is refused with an explanation`, () => {
    const read = readLinearPattern(pattern)

    assert.match('fault' in read ? read.fault : '', fault)
  })
}

test('a backslash before a digit is no backreference where it is itself escaped', () => {
  assert.equal(patternOf('a\\\\1').test('a\\1'), true)
})

test('ranges of letters are read, whatever their case', () => {
  for (const pattern of [
    '/[\\u4e00-\\u9fff]+/i',
    '/[a-z]{200}/i',
    '[\\0-\\uffff]{99}',
    '/[^\\x00-\\x7f-]/i',
  ]) {
    assert.equal('fault' in readLinearPattern(pattern), false, pattern)
  }
})

test('patterns of 500 characters are read, counted repetitions written out', () => {
  for (const pattern of ['a'.repeat(500), '[ab]{499}', 'a{200}b{200}', '(?:ab){100}']) {
    assert.equal('fault' in readLinearPattern(pattern), false, pattern.slice(0, 20))
  }
})
