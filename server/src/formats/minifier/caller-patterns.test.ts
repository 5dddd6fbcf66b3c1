import assert from 'node:assert/strict'
import test from 'node:test'
import { withLinearPatterns } from './caller-patterns.ts'

test('patterns that would become part of the parser are dropped, the other options are kept', () => {
  const { options, fragments } = withLinearPatterns({
    customAttrAssign: ['a'],
    customAttrSurround: [['a', 'b']],
    customAttrCollapse: '^ng-',
    customEventAttributes: ['^on', '^ng-'],
    ignoreCustomFragments: ['{{.*?}}'],
    removeComments: true,
  })

  const { customAttrCollapse, customEventAttributes, ...others } = options
  assert.deepEqual(others, { removeComments: true })
  assert.deepEqual(
    customEventAttributes?.map((pattern) => pattern.test('ng-click')),
    [false, true],
  )
  assert.equal(customAttrCollapse?.test('ng-class'), true)
  assert.equal(fragments?.length, 1)
})

test('a pattern that is no longer accepted is dropped from a task that is stored already', () => {
  const { options } = withLinearPatterns({ ignoreCustomComments: ['(?=a)', '^!', '['] })

  assert.equal(options.ignoreCustomComments?.length, 1)
})
