import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layOutNetwork, requestName, ticksUpTo, timePicture } from './time-rows.ts'

test('an axis has a few round numbers, however long it is', () => {
  assert.deepEqual(ticksUpTo(112), [0, 50, 100])
  assert.deepEqual(ticksUpTo(1), [0, 0.2, 0.4, 0.6, 0.8, 1])
  assert.deepEqual(ticksUpTo(90_000), [0, 20_000, 40_000, 60_000, 80_000])
  for (const ms of [3, 77, 4_999, 1e7]) {
    const { length } = ticksUpTo(ms)
    assert.ok(length >= 3 && length <= 6, `${ms}: ${length}`)
  }
})

test('a time that cannot be drawn is none', () => {
  const bar = { name: 'a', kind: 'network' } as const

  const { rows, totalMs } = timePicture([
    { name: 'a', note: '', bars: [{ ...bar, startMs: -5, durationMs: -1 }] },
    { name: 'b', note: '', bars: [{ ...bar, startMs: Number.NaN, durationMs: 7 }] },
  ])

  assert.deepEqual(
    rows.flatMap(({ bars }) => bars.map(({ startMs, durationMs }) => [startMs, durationMs])),
    [
      [0, 0],
      [0, 7],
    ],
  )
  assert.equal(totalMs, 7)
})

const request = {
  url: 'http://a.test/',
  type: 'document',
  http_status: 200,
  bytes: 10,
  started_ms: 0,
  duration_ms: 5,
  is_blocked: false,
}

test('requests stand in the order of their start, and say how they ended', () => {
  const { rows, totalMs } = layOutNetwork([
    { ...request, url: 'http://a.test/late.png', type: 'image', started_ms: 20, http_status: 404 },
    request,
    { ...request, url: 'http://ads.test/x.js', type: 'script', started_ms: 7, is_blocked: true },
  ])

  assert.deepEqual(
    rows.map(({ name, note, bars }) => [name, note, bars[0]?.kind]),
    [
      ['a.test', 'HTTP 200, document', 'network'],
      ['x.js', 'blocked, script', 'blocked'],
      ['late.png', '✕ HTTP 404, image', 'failed'],
    ],
  )
  assert.equal(totalMs, 25)
})

test('at most 300 requests are drawn', () => {
  assert.equal(layOutNetwork(Array.from({ length: 500 }, () => request)).rows.length, 300)
})

test('a URL is told by its end, cut to a length', () => {
  assert.equal(requestName('https://a.test/b/c.js?v=1'), 'c.js?v=1')
  assert.equal(requestName('https://a.test/b/'), 'b')
  assert.equal(requestName(`data:text/html,${'x'.repeat(100)}`).length, 40)
  assert.equal(requestName('no URL'), 'no URL')
})
