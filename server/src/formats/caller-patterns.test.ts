import assert from 'node:assert/strict'
import test from 'node:test'
import { withSafePatterns } from './caller-patterns.ts'

const commentsKept = (...ignoreCustomComments: string[]) =>
  withSafePatterns({ ignoreCustomComments }).ignoreCustomComments

test('plain expressions are kept, bare or between slashes', () => {
  assert.deepEqual(commentsKept('^!', '/^keep me/i', '\\bads\\b', '[(|)*]', '^\\s*#'), [
    /^!/,
    /^keep me/i,
    /\bads\b/,
    /[(|)*]/,
    /^\s*#/,
  ])
})

test('flags that mean nothing here are dropped', () => {
  assert.deepEqual(commentsKept('/keep/gi'), [/keep/i])
})

test('expressions that can run for ever are left out', () => {
  const risky = ['(a+)+$', '(a|a)*b', 'a*x', '^a*b*c', '(x)\\1', 'a{1,}b', '/\\p{L}/u', '[', '']

  assert.deepEqual(commentsKept(...risky), [])
})

test('fragments may span from one mark to another', () => {
  const { ignoreCustomFragments } = withSafePatterns({
    ignoreCustomFragments: ['\\{\\{[\\s\\S]*?\\}\\}', '<%.*?%>', '{{(a|b)*}}', 'a[^]*b'],
  })

  assert.deepEqual(ignoreCustomFragments, [/\{\{[\s\S]*?\}\}/, /<%.*?%>/])
})

test('expressions that become part of the parser are left out, the rest is kept', () => {
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
