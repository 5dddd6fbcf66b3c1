import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { silentLog } from '../../../test/support/test-store.ts'
import { createSealer } from '../../runtime/crypto/seal.ts'
import type { UrlRow } from '../../storage/queries/listings.ts'
import { sealColumn } from '../../storage/secrets/sealed-columns.ts'
import { searchedMax } from './find-newest.ts'
import { UrlMatcher } from './url-matcher.ts'
import { UrlSearch, type UrlSearchOrder } from './url-search.ts'

const keys = { newest: Buffer.alloc(32, 1) }
const sealer = createSealer(keys)
const never = new AbortController().signal

function startSearch(t: TestContext): UrlSearch {
  const matcher = new UrlMatcher({ keys, log: silentLog })
  t.after(() => matcher[Symbol.asyncDispose]())
  return new UrlSearch(matcher)
}

function rowOf(number: number): UrlRow {
  const place = { id: String(number), accountId: 'ada' }
  const url = `http://a.test/?${number % 2 === 0 ? 'Even' : 'odd'}`
  const listing = sealColumn(sealer, 'tasks.listing', place, JSON.stringify({ url }))
  return { ...place, createdAtMs: 0, url: null, listing, request: null, isCandidate: 1 }
}

/** A search through so many rows, which counts how many were read. */
function searchThrough(total: number, given: Partial<UrlSearchOrder<string>> = {}) {
  const counts = { rows: 0, reads: 0 }
  const order: UrlSearchOrder<string> = {
    table: 'tasks',
    part: 'EVEN',
    signal: never,
    page: 1,
    pageSize: 20,
    async read({ after, limit }) {
      const first = after ? Number(after.id) + 1 : 0
      const length = Math.max(Math.min(limit, total - first), 0)
      counts.reads += 1
      counts.rows += length
      return Array.from({ length }, (_, index) => rowOf(first + index))
    },
    list: async (ids) => [...ids],
    ...given,
  }
  return { order, counts }
}

test('a search looks through a limited number of rows and returns the items of one page', async (t) => {
  const search = startSearch(t)
  const { order, counts } = searchThrough(searchedMax * 2, { page: 3 })

  const found = await search.find(order)

  assert.deepEqual(
    found.items,
    Array.from({ length: 20 }, (_, index) => String(80 + 2 * index)),
  )
  assert.deepEqual([found.totalCount, found.isCapped], [searchedMax / 2, true])
  assert.equal(counts.rows, searchedMax)
})

test('the last page of a search is as long as what is left, and a later one is empty', async (t) => {
  const search = startSearch(t)
  const pageOf = (page: number) => search.find(searchThrough(75, { page, pageSize: 30 }).order)
  const counts = { totalCount: 38, isCapped: false }

  assert.deepEqual(await pageOf(2), {
    items: ['60', '62', '64', '66', '68', '70', '72', '74'],
    ...counts,
  })
  assert.deepEqual(await pageOf(3), { items: [], ...counts })
})

test('a row that cannot be decrypted is found by what is readable of its URL', async (t) => {
  const row = { ...rowOf(1), id: 'another row', url: 'http://a.test/Even' }

  const found = await startSearch(t).find(searchThrough(0, { read: async () => [row] }).order)

  assert.deepEqual(found.items, ['another row'])
})

test('a search ends with its caller', async (t) => {
  const search = startSearch(t)
  const caller = new AbortController()
  const { order, counts } = searchThrough(searchedMax, { signal: caller.signal })
  const { read } = order
  order.read = (from) => {
    const reading = read(from)
    if (counts.reads === 3) caller.abort(new Error('hung up'))
    return reading
  }

  await assert.rejects(search.find(order), /hung up/)

  assert.equal(counts.reads, 3)
})
