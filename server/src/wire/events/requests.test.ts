import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWanted, readTopics } from './requests.ts'
import type { WatchedEvent } from './responses.ts'

const at = '2026-03-02T09:30:00.000Z'
const id = '01a1def5-68ae-7e29-9849-4f82ca93e413'
const task: WatchedEvent = { type: 'task', task_id: id, job_id: null, status: 'failed', at }
const queue: WatchedEvent = { type: 'queue', waiting: 1, running: 0, at }

const isWantedBy = (text: string, event: WatchedEvent): boolean => {
  const topics = readTopics(text)
  assert.ok(topics, text)
  return isWanted(topics, event)
}

test('a topic is a kind of events, or one task or job', () => {
  assert.ok(isWantedBy('tasks, queue', task))
  assert.ok(isWantedBy(`TASK:${id.toUpperCase()}`, task))
  assert.ok(!isWantedBy(`jobs,queue,job:${id}`, task))
  assert.ok(isWantedBy('queue', queue))
  assert.ok(!isWantedBy('tasks,jobs', queue))
  assert.ok(isWantedBy(`job:${id}`, { type: 'reset', at }))
})

test('text that is no topic, and more than a hundred topics, are refused', () => {
  for (const text of ['', 'task', 'task:', `task:${id}0`, 'tasks;jobs', 'tasks,,jobs']) {
    assert.equal(readTopics(text), undefined, text)
  }
  assert.equal(readTopics(Array.from({ length: 101 }, () => 'tasks').join()), undefined)
})
