import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { collapseStars, matchesWildcards } from './wildcard-match.ts'

/** The plain definition, which takes exponential time. */
function isWholeMatch(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  if (pattern.startsWith('*')) {
    return (
      isWholeMatch(pattern.slice(1), text) || (text !== '' && isWholeMatch(pattern, text.slice(1)))
    )
  }
  return text[0] === pattern[0] && isWholeMatch(pattern.slice(1), text.slice(1))
}

const letters = (characters: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters), maxLength })

test('a pattern matches what the plain definition of wildcards matches', () => {
  fc.assert(
    fc.property(letters('ab*', 8), letters('ab', 10), (pattern, text) => {
      assert.equal(matchesWildcards(pattern, text, true), isWholeMatch(pattern, text))
      assert.equal(matchesWildcards(pattern, text, false), isWholeMatch(`${pattern}*`, text))
    }),
    { numRuns: 5_000 },
  )
})

test('long pieces between stars are found where they are', () => {
  const run = (max: number) => fc.integer({ min: 0, max }).map((count) => 'a'.repeat(count))
  const piece = fc
    .tuple(run(300), fc.constantFrom('b', 'bab', ''), run(300))
    .map((all) => all.join(''))

  fc.assert(
    fc.property(fc.array(piece, { maxLength: 4 }), piece, piece, (before, sought, after) => {
      const text = [...before, sought, after].join('')

      assert.equal(matchesWildcards(`*${sought}*`, text, true), true)
      assert.equal(matchesWildcards(`*${sought}c`, text, false), false)
      assert.equal(matchesWildcards(`*${sought}b`, text, false), text.includes(`${sought}b`))
    }),
  )
})

test('a pattern with collapsed stars matches the same texts', () => {
  fc.assert(
    fc.property(letters('a**', 8), letters('ab', 6), (pattern, text) => {
      const collapsed = collapseStars(pattern)

      assert.equal(matchesWildcards(collapsed, text, true), matchesWildcards(pattern, text, true))
      assert.doesNotMatch(collapsed, /\*\*/)
    }),
  )
})

test('hostile patterns are matched without backtracking', () => {
  const text = 'a'.repeat(8_192)
  const hostile = [
    '*a'.repeat(500_000),
    `${'*a'.repeat(4_000)}b`,
    '*'.repeat(1_000_000),
    `*b${'a'.repeat(8_000)}`,
    `*${'a'.repeat(3_000)}b${'a'.repeat(3_000)}*`,
  ]

  assert.deepEqual(
    hostile.map((pattern) => matchesWildcards(pattern, text, true)),
    [false, false, true, false, false],
  )
})
