import assert from 'node:assert/strict'
import test from 'node:test'
import { MemoryBudget } from './memory-budget.ts'

/** Requests shares by name and records which were granted. */
function trackGrants(budget: MemoryBudget) {
  const granted: string[] = []
  const request = (name: string, amount: number) => {
    const share = budget.open()
    void share.reserve(amount).then(() => granted.push(name))
    return share
  }
  return { granted, request, settled: () => new Promise((resolve) => setImmediate(resolve)) }
}

test('memory is granted while the budget lasts, then in the order of requests', async () => {
  const { granted, request, settled } = trackGrants(new MemoryBudget(10))

  const first = request('first', 6)
  request('second', 6)
  request('third', 2)
  await settled()
  assert.deepEqual(granted, ['first'])

  first[Symbol.dispose]()
  await settled()
  assert.deepEqual(granted, ['first', 'second', 'third'])
})

test('a request for more than the whole budget gets the whole budget', async () => {
  const { granted, request, settled } = trackGrants(new MemoryBudget(10))

  request('much', 99)
  await settled()

  assert.deepEqual(granted, ['much'])
})

test('a waiter that gives up leaves the queue', async () => {
  const { granted, request, settled } = trackGrants(new MemoryBudget(10))

  request('first', 9)[Symbol.dispose]()
  const second = request('second', 9)
  request('third', 9)[Symbol.dispose]()
  second[Symbol.dispose]()
  request('fourth', 10)
  await settled()

  assert.deepEqual(granted, ['first', 'second', 'fourth'])
})

test('a second reservation of a share releases the first', async () => {
  const budget = new MemoryBudget(10)
  const share = budget.open()
  const other = budget.open()

  await share.reserve(8)
  const waiting = other.reserve(8)
  await Promise.all([waiting.then(() => other[Symbol.dispose]()), share.reserve(5)])
  await other.reserve(5)
})
