import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryObjects } from 'node:v8'
import { searchedMax, searchRows } from './url-search.ts'

class LargeRow {
  readonly number: number
  constructor(number: number) {
    this.number = number
  }
}

/** Counting walks the whole heap. */
const countedEach = searchedMax / 4

/** Numbers its rows from 0, and counts now and then how many of them somebody still holds. */
function countedRows(total: number) {
  const held: number[] = []
  const read = async ({ after, limit }: { after: LargeRow | undefined; limit: number }) => {
    const first = after ? after.number + 1 : 0
    if (first % countedEach === 0) held.push(Number(queryObjects(LargeRow)))
    const length = Math.max(Math.min(limit, total - first), 0)
    return Array.from({ length }, (_, index) => new LargeRow(first + index))
  }
  return { held, read }
}

const isEven = ({ number }: LargeRow) => number % 2 === 0

test('a search holds the rows of one page, however many match', async () => {
  const { held, read } = countedRows(searchedMax * 2)

  const found = await searchRows(read, isEven, { page: 3, pageSize: 20 })

  assert.deepEqual(
    found.items.map(({ number }) => number),
    Array.from({ length: 20 }, (_, index) => 80 + 2 * index),
  )
  assert.equal(found.totalCount, searchedMax / 2)
  assert.equal(found.isCapped, true)
  assert.equal(held.length, 4)
  // The page, and what was read last.
  assert.ok(Math.max(...held) <= 20 + 2 * 50, `held ${held}`)
})

test('the last page of a search is as long as what is left, and a later one is empty', async () => {
  const { read } = countedRows(75)
  const pageOf = async (page: number) => {
    const { items, ...counts } = await searchRows(read, isEven, { page, pageSize: 30 })
    return { numbers: items.map(({ number }) => number), ...counts }
  }
  const counts = { totalCount: 38, isCapped: false }

  assert.deepEqual(await pageOf(2), { numbers: [60, 62, 64, 66, 68, 70, 72, 74], ...counts })
  assert.deepEqual(await pageOf(3), { numbers: [], ...counts })
})
