import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAdmissionPolicy, type LoadSample } from './admission-rules.ts'

const policy = createAdmissionPolicy({
  diskFreeMin: { share: 0.05 },
  residentBytesMax: 1000,
  queueMax: 10,
  accountQueueMax: 4,
})
const atLimits: LoadSample = {
  eventLoopDelayMs: 200,
  eventLoopShare: 1,
  residentBytes: 1000,
  heapShare: 0.9,
  hasFreeDescriptor: true,
  storeWaitMs: 2000,
  isStoreAnswering: true,
  isDiskLow: false,
}

test('a process that is exactly at its limits accepts new work', () => {
  assert.equal(policy.checkLoad(atLimits), undefined)
  assert.equal(policy.checkDepth({ inAll: 9, ofAccount: 3 }), undefined)
})

const overloads: [Partial<LoadSample>, code: string, message: RegExp][] = [
  [{ isStoreAnswering: false }, 'STORE_UNAVAILABLE', /does not answer/],
  [{ isDiskLow: true }, 'STORE_FULL', /disk is nearly full/],
  [{ storeWaitMs: 2001 }, 'STORE_UNAVAILABLE', /too slow/],
  [{ eventLoopDelayMs: 201 }, 'OVERLOADED', /is overloaded/],
  [{ residentBytes: 1001 }, 'OVERLOADED', /memory/],
  [{ heapShare: 0.91 }, 'OVERLOADED', /memory/],
  [{ hasFreeDescriptor: false }, 'OVERLOADED', /file descriptor/],
]

for (const [load, code, message] of overloads) {
  test(`new work is rejected with ${code} at the load ${JSON.stringify(load)}`, () => {
    const rejection = policy.checkLoad({ ...atLimits, ...load })

    assert.equal(rejection?.code, code)
    assert.match(rejection?.message ?? '', message)
    assert.ok((rejection?.retryAfterSeconds ?? 0) > 0)
  })
}

test('an event loop that is late for lack of CPU time does not reject new work', () => {
  const starved = { ...atLimits, eventLoopDelayMs: 1000, eventLoopShare: 0.8 }

  assert.equal(policy.checkLoad(starved), undefined)
})

test('a full queue rejects every account, an account at its limit only that account', () => {
  assert.match(policy.checkDepth({ inAll: 10, ofAccount: 0 })?.message ?? '', /queue is full/)
  assert.match(policy.checkDepth({ inAll: 4, ofAccount: 4 })?.message ?? '', /account has 4/)
  assert.equal(policy.checkDepth({ inAll: 10, ofAccount: 0 })?.code, 'QUEUE_FULL')
})
