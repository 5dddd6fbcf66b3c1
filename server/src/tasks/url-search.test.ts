import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { silentLog } from '../../test/support/test-store.ts'
import { until } from '../../test/support/until.ts'
import { createSealer } from '../runtime/seal.ts'
import type { UrlRow } from '../storage/listings.ts'
import { sealColumn } from '../storage/sealed-columns.ts'
import { UrlMatcher } from './url-matcher.ts'
import { searchedMax, UrlSearch, type UrlSearchOrder } from './url-search.ts'

const keys = { newest: Buffer.alloc(32, 1) }
const sealer = createSealer(keys)
const never = new AbortController().signal

function startSearch(t: TestContext): UrlSearch {
  const matcher = new UrlMatcher({ keys, log: silentLog })
  t.after(() => matcher[Symbol.asyncDispose]())
  return new UrlSearch(matcher)
}

function rowOf(number: number, accountId: string): UrlRow {
  const place = { id: String(number), accountId }
  const url = `http://a.test/?${number % 2 === 0 ? 'Even' : 'odd'}`
  const listing = sealColumn(sealer, 'tasks.listing', place, JSON.stringify({ url }))
  return { ...place, createdAtMs: 0, url: null, listing, request: null, isCandidate: 1 }
}

/** A search through so many rows, which counts how many were read. */
function searchThrough(total: number, given: Partial<UrlSearchOrder> = {}) {
  const counts = { rows: 0, reads: 0 }
  const accountId = given.accountId ?? 'ada'
  const order: UrlSearchOrder = {
    table: 'tasks',
    accountId,
    part: 'EVEN',
    signal: never,
    page: 1,
    pageSize: 20,
    async read({ after, limit }) {
      const first = after ? Number(after.id) + 1 : 0
      const length = Math.max(Math.min(limit, total - first), 0)
      counts.reads += 1
      counts.rows += length
      return Array.from({ length }, (_, index) => rowOf(first + index, accountId))
    },
    ...given,
  }
  return { order, counts }
}

test('a search looks through a limited number of rows and returns the ids of one page', async (t) => {
  const search = startSearch(t)
  const { order, counts } = searchThrough(searchedMax * 2, { page: 3 })

  const found = await search.find(order)

  assert.deepEqual(
    found.ids,
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
    ids: ['60', '62', '64', '66', '68', '70', '72', '74'],
    ...counts,
  })
  assert.deepEqual(await pageOf(3), { ids: [], ...counts })
})

test('a row that cannot be decrypted is found by what is readable of its URL', async (t) => {
  const row = { ...rowOf(1, 'ada'), id: 'another row', url: 'http://a.test/Even' }

  const found = await startSearch(t).find(searchThrough(0, { read: async () => [row] }).order)

  assert.deepEqual(found.ids, ['another row'])
})

test('an account is served although another has as many searches under way and waiting as it may', async (t) => {
  const search = startSearch(t)
  const held = Promise.withResolvers<UrlRow[]>()
  let heldCount = 0
  let endedCount = 0
  const refused: string[] = []
  const many = Array.from({ length: 30 }, () =>
    search
      .find(
        searchThrough(0, {
          accountId: 'mallory',
          read: () => {
            heldCount += 1
            return held.promise
          },
        }).order,
      )
      .then(() => endedCount++)
      .catch((error) => refused.push(error.code)),
  )
  await until(() => refused.length > 0)

  const found = await search.find(searchThrough(75, { accountId: 'ada' }).order)

  assert.equal(found.totalCount, 38)
  // Two ran and twenty waited; none of them had to end first.
  assert.deepEqual([heldCount, endedCount, refused.length], [2, 0, 8])
  assert.deepEqual([...new Set(refused)], ['RATE_LIMITED'])
  held.resolve([])
  await Promise.all(many)
  assert.equal(endedCount, 22)
})

test('a search ends with its caller, whether it runs or waits', async (t) => {
  const search = startSearch(t)
  const callers = new AbortController()
  const searches = Array.from({ length: 22 }, () =>
    searchThrough(searchedMax, { signal: callers.signal }),
  )
  const readsOf = () => searches.map(({ counts }) => counts.reads)
  let readBefore: number[] = []
  const [first] = searches
  assert.ok(first)
  const { read } = first.order
  first.order.read = (from) => {
    const reading = read(from)
    if (first.counts.reads !== 3) return reading
    callers.abort(new Error('hung up'))
    readBefore = readsOf()
    return reading
  }

  const ends = await Promise.allSettled(searches.map(({ order }) => search.find(order)))

  assert.ok(ends.every(({ status }) => status === 'rejected'))
  assert.deepEqual(readsOf(), readBefore)
  assert.equal(readBefore.filter((reads) => reads > 0).length, 2)
  const next = await search.find(searchThrough(75).order)
  assert.equal(next.totalCount, 38)
})
