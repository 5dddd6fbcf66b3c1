import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExtractRequest } from '../scrape/extract-request.ts'
import { planExtraction } from '../scrape/plan-extraction.ts'
import type { AttemptRecord } from './attempt.ts'
import type { Task, TaskProgress } from './task.ts'
import { attemptMsMax, findExpiry, isQueueToBlame, usedMs } from './task-time.ts'

const acceptedAtMs = 1_000_000
const dayLaterMs = acceptedAtMs + 86_400_000

/** For a process that sees this time, and has seen no leap of the clock. */
const at = (nowMs: number) => (sinceMs: number) => nowMs - sinceMs

type Kind = 'extract' | 'callback' | 'realtime'

function taskWith(
  kind: Kind,
  processing_mode: 'sync' | 'async',
  attempts: { durationMs: number; backoffMs?: number }[] = [],
): Task & TaskProgress {
  const { url, ...options } = ExtractRequest.parse({
    url: 'https://shop.example/',
    timeout: 10_000,
  })
  const request = planExtraction(url, options, processing_mode)
  const attemptLog = attempts.map((attempt) => ({ ...record, ...attempt }))
  return {
    request: kind === 'extract' ? request : { ...request, purpose: { kind } },
    createdAtMs: acceptedAtMs,
    attemptLog,
  } as Task & TaskProgress
}

const record: AttemptRecord = {
  engine: 'http',
  proxy: null,
  outcome: 'TARGET_TIMEOUT',
  statusCode: null,
  startedAtMs: 0,
  durationMs: 0,
  queueMs: 70_000,
  timings: null,
}

test('a task that nobody waits for uses its time in attempts and the pauses between them', () => {
  const attempts = [{ durationMs: 3_000, backoffMs: 500 }, { durationMs: 2_000 }]

  assert.equal(usedMs(taskWith('extract', 'async'), at(dayLaterMs)), 0)
  assert.equal(usedMs(taskWith('extract', 'async', attempts), at(dayLaterMs)), 5_500)
  assert.equal(usedMs(taskWith('callback', 'async', attempts), at(dayLaterMs)), 5_500)
})

test('a task whose caller waits uses its time from the moment it was accepted', () => {
  const attempts = [{ durationMs: 3_000, backoffMs: 500 }]

  for (const kind of ['extract', 'realtime'] as const) {
    assert.equal(usedMs(taskWith(kind, 'sync', attempts), at(acceptedAtMs + 8_000)), 8_000)
  }
})

test('an attempt may take what is left of the time of all, and no more than its own limit', () => {
  const attempts = [{ durationMs: 3_000, backoffMs: 500 }]

  assert.equal(attemptMsMax(taskWith('extract', 'async', attempts), at(dayLaterMs)), 6_500)
  assert.equal(attemptMsMax(taskWith('callback', 'async', attempts), at(dayLaterMs)), 10_000)
  assert.equal(attemptMsMax(taskWith('extract', 'sync'), at(acceptedAtMs + 9_000)), 1_000)
  assert.equal(attemptMsMax(taskWith('extract', 'sync'), at(dayLaterMs)), 1)
})

test('a task that is open for a day is not tried any more', () => {
  const task = taskWith('callback', 'async')
  const expiryAt = (nowMs: number) =>
    findExpiry(task, { startedAtMs: nowMs - 1, elapsedMs: at(nowMs) })

  assert.equal(expiryAt(dayLaterMs - 1), undefined)
  assert.equal(expiryAt(dayLaterMs)?.code, 'EXPIRED')
  assert.match(expiryAt(dayLaterMs)?.message ?? '', /24 hours/)
})

test('a page of a job that takes days is open for a day from its own first turn', () => {
  const task = { ...taskWith('extract', 'async'), job: { id: 'job', position: 0 } }
  const startedAtMs = 3 * dayLaterMs
  const after = (hours: number) =>
    findExpiry(task, { startedAtMs, elapsedMs: at(startedAtMs + hours * 3_600_000) })?.code

  assert.deepEqual([after(0), after(23), after(24)], [undefined, undefined, 'EXPIRED'])
})

test('a task whose caller has waited for its whole time is not tried, and no target is blamed', () => {
  const after = (kind: Kind, ms: number) =>
    findExpiry(taskWith(kind, 'sync'), { startedAtMs: 0, elapsedMs: at(acceptedAtMs + ms) })?.code

  assert.deepEqual([after('extract', 9_999), after('extract', 10_000)], [undefined, 'EXPIRED'])
  assert.deepEqual([after('realtime', 899_999), after('realtime', 900_000)], [undefined, 'EXPIRED'])
})

test('the queue is to blame for a caller whose time is over if it took as much of it as the work', () => {
  const isToBlame = (task: Task & TaskProgress, queuedMs: number, ms = 10_000) =>
    isQueueToBlame(task, {
      startedAtMs: acceptedAtMs + queuedMs,
      elapsedMs: at(acceptedAtMs + ms),
    })
  const awaited = taskWith('extract', 'sync')

  assert.equal(isToBlame(awaited, 9_600), true)
  assert.equal(isToBlame(awaited, 5_000), true)
  assert.equal(isToBlame(awaited, 4_999), false)
  // The target was silent for too long, but not until the caller's time was over.
  assert.equal(isToBlame(awaited, 5_000, 9_000), false)
  // An earlier attempt took the most of the time.
  const tried = taskWith('extract', 'sync', [{ durationMs: 5_000, backoffMs: 500 }])
  assert.equal(isToBlame(tried, 9_600), false)
  assert.equal(isToBlame(taskWith('extract', 'async'), 9_600), false)
})
