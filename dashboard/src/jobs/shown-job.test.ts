import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from '@trawl/sdk'
import { endedPercent, pagesPerMinute, ringArcs } from './shown-job.ts'

const job = (completed: number, completed_at: string | null): Job => ({
  job_id: 'b',
  kind: 'batch',
  status: 'processing',
  url: null,
  counts: { total: 10, completed, failed: completed > 0 ? 1 : 0, cancelled: 0, pending: 5 },
  links_count: null,
  created_at: '2026-03-02T09:01:00.000Z',
  completed_at,
  status_url: '/v1/batch/b',
  tasks_url: '/v1/tasks?job=b',
})

test('the speed of a job is that of its fetched pages, from its start to its end or to now', () => {
  assert.equal(pagesPerMinute(job(4, '2026-03-02T09:01:30.000Z'), 0), 10)
  assert.equal(pagesPerMinute(job(4, null), Date.parse('2026-03-02T09:06:00.000Z')), 1)
  assert.equal(pagesPerMinute(job(0, null), Date.now()), null)
})

const counts = (completed: number, failed: number, cancelled: number, pending: number) => ({
  total: completed + failed + cancelled + pending,
  completed,
  failed,
  cancelled,
  pending,
})

test('the parts of the ring follow one another, and leave out what is pending', () => {
  assert.deepEqual(ringArcs(counts(5, 2, 0, 3)), [
    { state: 'completed', from: 0, length: 50 },
    { state: 'failed', from: 50, length: 20 },
  ])
  assert.deepEqual(ringArcs(counts(0, 0, 0, 0)), [])
})

test('a job is never said to be done, or not begun, before it is', () => {
  assert.equal(endedPercent(counts(0, 0, 0, 9)), 0)
  assert.equal(endedPercent(counts(1, 0, 0, 9_999)), 1)
  assert.equal(endedPercent(counts(9_998, 1, 0, 1)), 99)
  assert.equal(endedPercent(counts(1, 1, 1, 0)), 100)
})
