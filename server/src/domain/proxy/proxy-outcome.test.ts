import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptRecord } from '../task/attempt.ts'
import { findProxyFaults, outcomeOfFailure, outcomeOfPage, proxyToKeep } from './proxy-outcome.ts'

const noTimings = {
  dnsMs: 0,
  connectMs: 0,
  tlsMs: 0,
  firstByteMs: 0,
  downloadMs: 0,
  renderMs: 0,
  waitMs: 0,
  extractMs: 0,
}

test('a page counts as carried by the proxy, with the time to the first byte as latency', () => {
  const timings = { ...noTimings, dnsMs: 1, connectMs: 20, tlsMs: 30, firstByteMs: 40 }

  assert.deepEqual(outcomeOfPage(404, timings), { kind: 'carried', latencyMs: 90 })
  // The proxy itself may have sent these.
  for (const statusCode of [403, 502]) {
    assert.equal(outcomeOfPage(statusCode, timings).kind, 'unknown')
  }
})

for (const [code, kind] of [
  ['PROXY_FAILED', 'failed'],
  ['TARGET_TIMEOUT', 'unknown'],
  ['BAD_RESPONSE', 'unknown'],
  ['BROWSER_CRASHED', 'unknown'],
  ['SELECTOR_NOT_FOUND', 'unknown'],
  ['INTERNAL_ERROR', 'unknown'],
] as const) {
  test(`the failure ${code} gives the proxy the outcome ${kind}`, () => {
    assert.equal(outcomeOfFailure({ code, isProxyUnusable: false }).kind, kind)
  })
}

test('a proxy that is unusable for any target gets the outcome refused', () => {
  const failure = { code: 'PROXY_FAILED', isProxyUnusable: true } as const

  assert.deepEqual(outcomeOfFailure(failure), { kind: 'refused' })
})

const attempt = (
  proxy: string | null,
  outcome: AttemptRecord['outcome'],
  statusCode: number | null = null,
): AttemptRecord => ({
  engine: 'http',
  proxy,
  outcome,
  statusCode,
  startedAtMs: 0,
  durationMs: 0,
  queueMs: 0,
  timings: null,
})

test('a page through one proxy shows that the proxies of failed attempts were at fault', () => {
  const guilty = [
    attempt('broken', 'PROXY_FAILED'),
    attempt('late', 'TARGET_TIMEOUT'),
    attempt('lying', 'TARGET_TLS_FAILED'),
    attempt('cutting', 'BAD_RESPONSE'),
    attempt('refusing', 'page', 403),
    attempt('broken', 'PROXY_FAILED'),
  ]
  const innocent = [
    attempt('crashed', 'BROWSER_CRASHED'),
    // The page had arrived and could not be presented.
    { ...attempt('unread', 'BAD_RESPONSE'), timings: noTimings },
    attempt('good', 'TARGET_TIMEOUT'),
    attempt(null, 'TARGET_TIMEOUT'),
  ]

  for (const statusCode of [200, 404]) {
    const last = attempt('good', 'page', statusCode)
    assert.deepEqual(findProxyFaults(last, [...innocent, ...guilty]), guilty)
  }
})

test('no proxy is at fault if none brings the page', () => {
  const earlier = [attempt('one', 'PROXY_FAILED'), attempt('two', 'page', 503)]

  for (const last of [
    attempt('three', 'PROXY_FAILED'),
    attempt('three', 'page', 503),
    attempt(null, 'page', 200),
  ]) {
    assert.deepEqual(findProxyFaults(last, earlier), [])
  }
})

test('a session keeps its proxy while any response came through it', () => {
  const kept = { label: 'a', session: 's' }

  assert.equal(proxyToKeep(kept, []), kept)
  assert.equal(proxyToKeep(kept, [attempt('a', 'page', 503)]), kept)
  assert.equal(proxyToKeep(kept, [attempt('a', 'SELECTOR_NOT_FOUND')]), kept)
  assert.equal(proxyToKeep(kept, [attempt('b', 'PROXY_FAILED')]), kept)
  assert.equal(proxyToKeep(null, []), undefined)
})

test('a session leaves a proxy through which its task got no response', () => {
  for (const outcome of ['PROXY_FAILED', 'TARGET_TIMEOUT', 'TARGET_TLS_FAILED'] as const) {
    assert.equal(proxyToKeep({ label: 'a', session: 's' }, [attempt('a', outcome)]), undefined)
  }
})
