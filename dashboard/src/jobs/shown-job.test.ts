import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pagesPerMinute, toShownJob } from './shown-job.ts'

const job = (completed: number, completed_at: string | null) =>
  toShownJob({
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
