import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNewest, searchedMax } from './find-newest.ts'

const never = new AbortController().signal

/** So many rows, of which every third is asked for; counts what was read. */
function look(total: number, { signal = never, page = 1 } = {}) {
  const reads: number[] = []
  const found = findNewest({
    page,
    pageSize: 2,
    signal,
    rowsAtOnce: 500,
    async read({ after, limit }) {
      const first = after ? Number(after.id) + 1 : 0
      const length = Math.max(Math.min(limit, total - first), 0)
      reads.push(length)
      return Array.from({ length }, (_, index) => ({ id: String(first + index), createdAtMs: 0 }))
    },
    match: (rows) => rows.map(({ id }) => id).filter((id) => Number(id) % 3 === 0),
  })
  return { found, reads }
}

test('rows are looked through a few at a time, from one place to the next', async () => {
  const { found, reads } = look(1_200, { page: 2 })

  assert.deepEqual(await found, { ids: ['6', '9'], totalCount: 400, isCapped: false })
  assert.deepEqual(reads, [500, 500, 200])
})

test('no more than the newest 10 000 are looked at', async () => {
  const { found, reads } = look(searchedMax * 2)

  assert.deepEqual(await found, { ids: ['0', '3'], totalCount: 3_334, isCapped: true })
  assert.equal(reads.length, searchedMax / 500)
})

test('looking ends with its caller', async () => {
  const { found, reads } = look(searchedMax, { signal: AbortSignal.abort(new Error('gone')) })

  await assert.rejects(found, /gone/)
  assert.deepEqual(reads, [])
})
