import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layOutTimeline } from './lay-out-timeline.ts'

const eventMs = Date.parse('2026-03-01T12:00:00.000Z')
const at = (sinceEventMs: number) => new Date(eventMs + sinceEventMs).toISOString()
const attempt = (number: number, sinceEventMs: number, error: string | null) => ({
  number,
  started_at: at(sinceEventMs),
  duration_ms: 12,
  http_status: error === null ? 200 : 500,
  error,
  response_excerpt: null,
})

test('attempts stand on a logarithmic axis, from the event to the next attempt', () => {
  const { marks, ticks, nowPosition } = layOutTimeline(
    {
      created_at: at(0),
      attempts: [attempt(1, 20, 'refused'), attempt(2, 5_000, 'refused')],
      next_attempt_at: at(35_000),
    },
    eventMs + 10_000,
  )

  assert.deepEqual(
    marks.map(({ kind, name, sinceEventMs }) => [kind, name, sinceEventMs]),
    [
      ['event', 'Event', 0],
      ['failed', 'Attempt 1', 20],
      ['failed', 'Attempt 2', 5_000],
      ['next', 'Next attempt', 35_000],
    ],
  )
  const positions = marks.map(({ position }) => position)
  assert.deepEqual([positions[0], positions[3]], [0, 1])
  assert.deepEqual(positions, positions.toSorted())
  // On a linear axis the first attempt would be hidden by the event.
  assert.ok((positions[1] ?? 0) > 0.1)
  assert.deepEqual(
    ticks.map(({ ms }) => ms),
    [100, 1_000, 10_000],
  )
  assert.ok((nowPosition ?? 0) > 0.8 && (nowPosition ?? 1) < 1)
})

test('a delivery that has ended has no now, however long ago it was', () => {
  const { marks, nowPosition } = layOutTimeline(
    { created_at: at(0), attempts: [attempt(1, 30, null)], next_attempt_at: null },
    eventMs + 1e9,
  )

  assert.equal(nowPosition, undefined)
  assert.equal(marks.at(-1)?.kind, 'delivered')
})

test('a next attempt that is overdue keeps now within the axis', () => {
  const { marks, nowPosition } = layOutTimeline(
    { created_at: at(0), attempts: [], next_attempt_at: at(2_000) },
    eventMs + 60_000,
  )

  assert.equal(nowPosition, 1)
  assert.ok((marks.at(-1)?.position ?? 1) < 1)
})

test('an attempt that another clock put before its event stands at the event', () => {
  const { marks } = layOutTimeline(
    { created_at: at(0), attempts: [attempt(1, -7, null)], next_attempt_at: null },
    eventMs,
  )

  assert.deepEqual([marks[1]?.position, marks[1]?.sinceEventMs], [0, 0])
})

test('the texts of the axis keep their distance, however long it is', () => {
  const { ticks } = layOutTimeline(
    { created_at: at(0), attempts: [attempt(1, 3 * 86_400_000, null)], next_attempt_at: null },
    eventMs,
  )

  assert.deepEqual(
    ticks.map(({ ms }) => ms),
    [100, 10_000, 600_000, 36_000_000],
  )
})
