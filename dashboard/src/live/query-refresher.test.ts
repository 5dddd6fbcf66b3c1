import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TrawlEvent } from '@trawl/sdk'
import { QueryRefresher } from './query-refresher.ts'

const taskEvent = (task_id: string, status: 'processing' | 'completed'): TrawlEvent => ({
  type: 'task',
  task_id,
  job_id: null,
  status,
  at: '2026-03-01T12:00:00.000Z',
  id: '1',
})

function refresherOf() {
  const read: string[] = []
  const refresher = new QueryRefresher({
    invalidateQueries: async (filters) => {
      read.push(String(filters?.queryKey))
    },
  })
  return { refresher, read }
}

test('a thousand events of one task make its queries be read once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { refresher, read } = refresherOf()

  for (let count = 0; count < 1_000; count++) refresher.hear(taskEvent('a', 'processing'))
  t.mock.timers.tick(10_000)

  assert.deepEqual(read, ['tasks', 'task,a'])
})

test('the end of a task makes lists be read at once, and charts when they have counted it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { refresher, read } = refresherOf()

  refresher.hear(taskEvent('a', 'completed'))
  t.mock.timers.tick(1_000)
  assert.deepEqual(read.splice(0), ['tasks', 'task,a', 'deliveries'])

  t.mock.timers.tick(10_000)
  assert.deepEqual(read, ['series', 'domains', 'statistics'])
})

test('charts are read once more for a task that ended too late to be counted in them', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  const { refresher, read } = refresherOf()

  refresher.hear(taskEvent('a', 'completed'))
  t.mock.timers.tick(3_500)
  refresher.hear(taskEvent('b', 'completed'))
  t.mock.timers.tick(1_000)
  assert.equal(read.filter((one) => one === 'series').length, 1)

  t.mock.timers.tick(10_000)
  assert.equal(read.filter((one) => one === 'series').length, 2)
})

test('after missed events everything is read again, charts once more', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { refresher, read } = refresherOf()

  refresher.hear(taskEvent('a', 'completed'))
  refresher.hear({ type: 'reset', at: '2026-03-01T12:00:00.000Z', id: undefined })
  t.mock.timers.tick(10_000)

  assert.deepEqual(read, ['', 'series', 'domains', 'statistics'])
})
