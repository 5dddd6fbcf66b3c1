import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layOutWaterfall, type TimedTask } from './lay-out-waterfall.ts'
import type { TimePicture } from './time-rows.ts'

const originMs = Date.parse('2026-03-02T09:30:00.000Z')
const at = (ms: number) => new Date(originMs + ms).toISOString()

const attempt = {
  engine: 'http',
  proxy: null,
  outcome: 'page',
  http_status: 200,
  started_at: at(10),
  duration_ms: 100,
  queue_ms: 10,
  timings: { dns: 5, connect: 0, tls: 15, first_byte: 40, download: 20 },
} as const satisfies TimedTask['attempt_log'][number]

const delivery = {
  id: 'd',
  webhook_id: null,
  event_type: null,
  status: 'delivered',
  attempt_number: 1,
  http_status: 200,
  created_at: at(120),
  delivered_at: at(140),
  next_attempt_at: null,
  attempts: [],
} as const satisfies TimedTask['deliveries'][number]

const tryOf = (startMs: number, error: string | null) => ({
  number: 1,
  started_at: at(startMs),
  duration_ms: 20,
  http_status: error === null ? 200 : 500,
  error,
  response_excerpt: null,
})

const taskOf = (given: Partial<TimedTask>): TimedTask => ({
  created_at: at(0),
  completed_at: at(112),
  attempt_log: [attempt],
  deliveries: [],
  ...given,
})

const drawn = ({ rows }: TimePicture) =>
  rows.flatMap(({ name, bars }) =>
    bars.map(({ startMs, durationMs }) => `${name} ${startMs}+${durationMs}`),
  )

test('the phases of an attempt follow one another, and what took no time is left out', () => {
  const picture = layOutWaterfall(taskOf({}))

  assert.deepEqual(drawn(picture), [
    'Queue 0+10',
    'Attempt 1 (HTTP) 10+100',
    'DNS 10+5',
    'TLS 15+15',
    'First byte 30+40',
    'Download 70+20',
    'Other work 90+20',
    'Store 110+2',
  ])
  assert.equal(picture.totalMs, 112)
})

test('in a browser the network is a part of rendering, and waiting follows it', () => {
  const timings = {
    dns: 5,
    connect: 5,
    first_byte: 10,
    download: 5,
    render: 60,
    wait: 20,
    extract: 5,
  }
  const picture = layOutWaterfall(
    taskOf({ attempt_log: [{ ...attempt, engine: 'browser', timings }], completed_at: null }),
  )

  assert.deepEqual(drawn(picture).slice(2), [
    'DNS 10+5',
    'Connect 15+5',
    'First byte 20+10',
    'Download 30+5',
    'Render 10+60',
    'Wait for 70+20',
    'Extract 90+5',
    'Other work 95+15',
  ])
})

test('failed attempts stand above the last one, marked by a word and a kind of their own', () => {
  const failed = {
    ...attempt,
    outcome: 'TARGET_TIMEOUT',
    http_status: null,
    timings: null,
  } as const
  const { rows } = layOutWaterfall(
    taskOf({ attempt_log: [failed, { ...attempt, started_at: at(500), queue_ms: 0 }] }),
  )

  assert.equal(rows[0]?.name, 'Attempt 1 (HTTP)')
  assert.equal(rows[0]?.note, '✕ TARGET_TIMEOUT')
  assert.deepEqual(
    rows[0]?.bars.map(({ kind }) => kind),
    ['wait', 'failed'],
  )
  assert.equal(rows[1]?.name, 'Attempt 2 (HTTP)')
  assert.equal(rows[1]?.note, 'HTTP 200')
})

test('a response that was an error counts as failed', () => {
  const { rows } = layOutWaterfall(taskOf({ attempt_log: [{ ...attempt, http_status: 503 }] }))

  assert.equal(rows[1]?.note, '✕ HTTP 503')
})

test('the tries of a callback are drawn, but for those that came much later', () => {
  const attempts = [tryOf(130, '500 Internal Server Error'), tryOf(3_600_000, null)]
  const picture = layOutWaterfall(taskOf({ deliveries: [{ ...delivery, attempts }] }))

  const callback = picture.rows.at(-1)
  assert.equal(callback?.name, 'Callback')
  assert.equal(callback?.note, 'delivered, 1 later')
  assert.deepEqual(
    callback?.bars.map(({ kind, startMs }) => [kind, startMs]),
    [['failed', 130]],
  )
  assert.equal(picture.totalMs, 150)
})

test('a task that nobody has tried yet has no rows', () => {
  assert.deepEqual(layOutWaterfall(taskOf({ attempt_log: [], completed_at: null })).rows, [])
})
