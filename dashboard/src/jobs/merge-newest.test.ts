import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeNewest } from './merge-newest.ts'
import { listedBatch, listedCrawl, pagesPerMinute } from './shown-job.ts'

const batch = (minute: number, ended = false) =>
  listedBatch({
    job_id: `b${minute}`,
    status: ended ? 'cancelled' : 'processing',
    accepted_urls: 10,
    completed_urls: 4,
    failed_urls: 1,
    config: {} as never,
    created_at: `2026-03-02T09:0${minute}:00.000Z`,
    completed_at: ended ? `2026-03-02T09:0${minute}:30.000Z` : null,
  })
const crawl = (minute: number) =>
  listedCrawl({
    job_id: `c${minute}`,
    url: 'https://example.com/',
    status: 'queued',
    total_pages: 1,
    completed_pages: 0,
    failed_pages: 0,
    config: {} as never,
    created_at: `2026-03-02T09:0${minute}:00.000Z`,
    completed_at: null,
  })

test('lists of several kinds become one, the newest first', () => {
  const lists = [
    { jobs: [batch(5), batch(1)], hasMore: false },
    { jobs: [crawl(4), crawl(2)], hasMore: false },
  ]

  const whole = mergeNewest(lists, 10)
  const part = mergeNewest(lists, 3)

  assert.deepEqual(
    whole.jobs.map(({ id }) => id),
    ['b5', 'c4', 'c2', 'b1'],
  )
  assert.equal(whole.olderUntil, undefined)
  assert.equal(part.olderUntil, '2026-03-02T09:02:00.000Z')
})

test('pages that did not come to their end wait while the job runs, and are cancelled after it', () => {
  assert.deepEqual(batch(1).counts, {
    total: 10,
    completed: 4,
    failed: 1,
    pending: 5,
    cancelled: 0,
  })
  assert.deepEqual([batch(1, true).counts.pending, batch(1, true).counts.cancelled], [0, 5])
})

test('the speed of a job is that of its fetched pages, from its start to its end or to now', () => {
  assert.equal(pagesPerMinute(batch(1, true), 0), 10)
  assert.equal(pagesPerMinute(batch(1), Date.parse('2026-03-02T09:06:00.000Z')), 1)
  assert.equal(pagesPerMinute(crawl(1), Date.now()), null)
})
