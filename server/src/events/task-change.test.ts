import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namedChangesMax, planTaskEvents, type TaskChange } from './task-change.ts'

const at = '2026-03-02T09:30:00.000Z'
const changes = (count: number): TaskChange[] =>
  Array.from({ length: count }, (_, index) => ({
    taskId: `task-${index}`,
    jobId: null,
    status: index % 2 === 0 ? 'completed' : 'failed',
  }))
const none = { uncounted: {}, watchedIds: new Set<string>(), at }

test('a few changes are an event each', () => {
  const events = planTaskEvents(changes(namedChangesMax), none)

  assert.equal(events.length, namedChangesMax)
  assert.ok(events.every(({ type }) => type === 'task'))
})

test('more changes than anybody can read are counted, and those watched by id are named too', () => {
  const watchedIds = new Set(['task-3'])

  const events = planTaskEvents(changes(60), { ...none, watchedIds, uncounted: { failed: 5 } })

  assert.deepEqual(events, [
    { type: 'tasks', counts: { completed: 30, failed: 35 }, at },
    { type: 'task', task_id: 'task-3', job_id: null, status: 'failed', at },
  ])
})
