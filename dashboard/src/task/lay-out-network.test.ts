import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layOutNetwork, requestName } from './lay-out-network.ts'

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
