import assert from 'node:assert/strict'
import test from 'node:test'
import { withSafePatterns } from './caller-patterns.ts'

const commentsKept = (...ignoreCustomComments: string[]) =>
  withSafePatterns({ ignoreCustomComments }).ignoreCustomComments

test('plain patterns are kept, bare or between slashes', () => {
  assert.deepEqual(commentsKept('^!', '/^keep me/i', '\\bads\\b', '[(|)*]', '^\\s*#'), [
    /^!/,
    /^keep me/i,
    /\bads\b/,
    /[(|)*]/,
    /^\s*#/,
  ])
})

test('the flags g, d and y, which have no effect, are dropped', () => {
  assert.deepEqual(commentsKept('/keep/gi'), [/keep/i])
})

test('patterns that can backtrack without end are dropped', () => {
  const risky = ['(a+)+$', '(a|a)*b', 'a*x', '^a*b*c', '(x)\\1', 'a{1,}b', '/\\p{L}/u', '[', '']

  assert.deepEqual(commentsKept(...risky), [])
})

test('a pattern for fragments may span from one mark to another', () => {
  const { ignoreCustomFragments } = withSafePatterns({
    ignoreCustomFragments: ['\\{\\{[\\s\\S]*?\\}\\}', '<%.*?%>', '{{(a|b)*}}', 'a[^]*b'],
  })

  assert.deepEqual(ignoreCustomFragments, [/\{\{[\s\S]*?\}\}/, /<%.*?%>/])
})

test('patterns that become part of the parser are dropped, the other options are kept', () => {
  const options = withSafePatterns({
    customAttrAssign: ['a'],
    customAttrSurround: [['a', 'b']],
    customAttrCollapse: 'ng-class',
    customEventAttributes: ['^ng-'],
    removeComments: true,
  })

  assert.deepEqual(options, {
    customAttrCollapse: /ng-class/,
    customEventAttributes: [/^ng-/],
    removeComments: true,
  })
})
