import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRefusals, type LoadSample } from './admission-rules.ts'

const refusals = createRefusals({
  diskFreeMin: { share: 0.05 },
  residentBytesMax: 1000,
  queueMax: 10,
  accountQueueMax: 4,
})
const atEase: LoadSample = {
  eventLoopDelayMs: 200,
  eventLoopShare: 1,
  residentBytes: 1000,
  heapShare: 0.9,
  storeWaitMs: 2000,
  isStoreAnswering: true,
  isDiskLow: false,
}

test('at its limits, but not beyond, a process takes new work', () => {
  assert.equal(refusals.under(atEase), undefined)
  assert.equal(refusals.at({ inAll: 9, ofAccount: 3 }), undefined)
})

const strained: [Partial<LoadSample>, code: string, message: RegExp][] = [
  [{ isStoreAnswering: false }, 'STORE_UNAVAILABLE', /does not answer/],
  [{ isDiskLow: true }, 'STORE_FULL', /disk is nearly full/],
  [{ storeWaitMs: 2001 }, 'STORE_UNAVAILABLE', /too slow/],
  [{ eventLoopDelayMs: 201 }, 'OVERLOADED', /more to do/],
  [{ residentBytes: 1001 }, 'OVERLOADED', /memory/],
  [{ heapShare: 0.91 }, 'OVERLOADED', /memory/],
]

for (const [load, code, message] of strained) {
  test(`with ${JSON.stringify(load)} new work is refused as ${code}`, () => {
    const refusal = refusals.under({ ...atEase, ...load })

    assert.equal(refusal?.code, code)
    assert.match(refusal?.message ?? '', message)
    assert.ok((refusal?.retryAfterSeconds ?? 0) > 0)
  })
}

test('an event loop that is late because others have the processor is no reason to refuse', () => {
  const starved = { ...atEase, eventLoopDelayMs: 1000, eventLoopShare: 0.8 }

  assert.equal(refusals.under(starved), undefined)
})

test('a full queue refuses everyone, an account at its share only that account', () => {
  assert.match(refusals.at({ inAll: 10, ofAccount: 0 })?.message ?? '', /queue is full/)
  assert.match(refusals.at({ inAll: 4, ofAccount: 4 })?.message ?? '', /account has 4/)
  assert.equal(refusals.at({ inAll: 10, ofAccount: 0 })?.code, 'QUEUE_FULL')
})
