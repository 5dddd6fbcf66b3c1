import assert from 'node:assert/strict'
import test from 'node:test'
import { MemoryBudget } from './memory-budget.ts'

/** What has been granted so far, by name. */
function asking(budget: MemoryBudget) {
  const granted: string[] = []
  const ask = (name: string, amount: number) => {
    const share = budget.open()
    void share.take(amount).then(() => granted.push(name))
    return share
  }
  return { granted, ask, settled: () => new Promise((resolve) => setImmediate(resolve)) }
}

test('memory is granted while the budget lasts, then in the order of asking', async () => {
  const { granted, ask, settled } = asking(new MemoryBudget(10))

  const first = ask('first', 6)
  ask('second', 6)
  ask('third', 2)
  await settled()
  assert.deepEqual(granted, ['first'])

  first[Symbol.dispose]()
  await settled()
  assert.deepEqual(granted, ['first', 'second', 'third'])
})

test('a request for more than the whole budget gets the whole budget', async () => {
  const { granted, ask, settled } = asking(new MemoryBudget(10))

  ask('much', 99)
  await settled()

  assert.deepEqual(granted, ['much'])
})

test('a waiter that gives up leaves the queue', async () => {
  const { granted, ask, settled } = asking(new MemoryBudget(10))

  ask('first', 9)[Symbol.dispose]()
  const second = ask('second', 9)
  ask('third', 9)[Symbol.dispose]()
  second[Symbol.dispose]()
  ask('fourth', 10)
  await settled()

  assert.deepEqual(granted, ['first', 'second', 'fourth'])
})

test('asking again releases what was held before', async () => {
  const budget = new MemoryBudget(10)
  const share = budget.open()
  const other = budget.open()

  await share.take(8)
  const waiting = other.take(8)
  await Promise.all([waiting.then(() => other[Symbol.dispose]()), share.take(5)])
  await other.take(5)
})
