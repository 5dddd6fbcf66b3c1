import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTestArguments } from './read-arguments.ts'

test('without arguments the fast tier runs, a line for each file', () => {
  const { tier, named, reporter, nodeFlags } = readTestArguments([])

  assert.deepEqual(
    { tier, named, reporter, nodeFlags },
    {
      tier: 'fast',
      named: [],
      reporter: 'files',
      nodeFlags: [],
    },
  )
})

test('files that are named run in full, and each of their tests is listed', () => {
  const { tier, named, reporter } = readTestArguments(['a.test.ts', 'b.test.ts'])

  assert.deepEqual(
    { tier, named, reporter },
    {
      tier: 'all',
      named: ['a.test.ts', 'b.test.ts'],
      reporter: 'spec',
    },
  )
})

test('flags that are not ours are for the process of each file', () => {
  const read = readTestArguments([
    '--all',
    '--test-concurrency=7',
    '--test-name-pattern=x',
    '--test-only',
  ])

  assert.equal(read.tier, 'all')
  assert.equal(read.concurrency, 7)
  assert.deepEqual(read.nodeFlags, ['--test-name-pattern=x', '--test-only'])
})
