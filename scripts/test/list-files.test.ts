import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSlow, listTestFiles } from './list-files.ts'

test('the fast tier is every test file whose name does not end in .slow.test.ts', () => {
  const all = listTestFiles('all')
  const fast = listTestFiles('fast')

  assert.ok(all.includes('scripts/test/list-files.test.ts'))
  assert.ok(all.includes('server/test/faults/ledger.slow.test.ts'))
  assert.deepEqual(
    fast,
    all.filter((path) => !isSlow(path)),
  )
})

test('slow files begin first, then those with real parts, and larger ones before smaller ones', () => {
  const files = listTestFiles('all')
  const groups = files.map((path) => {
    const hasRealParts = path.startsWith('server/test/') || path.startsWith('sdk/test/')
    return isSlow(path) ? 0 : hasRealParts ? 1 : 2
  })

  assert.equal(new Set(files).size, files.length)
  assert.deepEqual(groups, groups.toSorted())
})
