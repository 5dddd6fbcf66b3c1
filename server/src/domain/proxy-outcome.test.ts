import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcomeOfFailure, outcomeOfPage } from './proxy-outcome.ts'

test('a page was carried, as fast as its first byte came', () => {
  const timings = {
    dnsMs: 1,
    connectMs: 20,
    tlsMs: 30,
    firstByteMs: 40,
    downloadMs: 500,
    renderMs: 0,
    waitMs: 0,
    extractMs: 0,
  }

  assert.deepEqual(outcomeOfPage(timings), { kind: 'carried', latencyMs: 90 })
})

for (const [code, kind] of [
  ['PROXY_FAILED', 'refused'],
  ['TARGET_TIMEOUT', 'target_failed'],
  ['BAD_RESPONSE', 'target_failed'],
  ['BROWSER_CRASHED', 'unknown'],
  ['SELECTOR_NOT_FOUND', 'unknown'],
  ['INTERNAL_ERROR', 'unknown'],
] as const) {
  test(`${code} says of the proxy: ${kind}`, () => {
    assert.equal(outcomeOfFailure(code, 100).kind, kind)
  })
}
