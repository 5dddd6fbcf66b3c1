import assert from 'node:assert/strict'
import test from 'node:test'
import { MemoryBudget } from './memory-budget.ts'

/** Requests shares by name and records which were granted. */
function trackGrants(budget: MemoryBudget) {
  const granted: string[] = []
  const request = (name: string, amount: number, accountId?: string) => {
    const share = budget.open(accountId)
    void share.reserve(amount).then(() => granted.push(name))
    return share
  }
  return { granted, request, settled: () => new Promise((resolve) => setImmediate(resolve)) }
}

test('memory is granted while the budget lasts, then in the order of requests', async () => {
  const { granted, request, settled } = trackGrants(new MemoryBudget({ total: 10 }))

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
  const { granted, request, settled } = trackGrants(new MemoryBudget({ total: 10 }))

  request('much', 99)
  await settled()

  assert.deepEqual(granted, ['much'])
})

test('a waiter that gives up leaves the queue', async () => {
  const { granted, request, settled } = trackGrants(new MemoryBudget({ total: 10 }))

  request('first', 9)[Symbol.dispose]()
  const second = request('second', 9)
  request('third', 9)[Symbol.dispose]()
  second[Symbol.dispose]()
  request('fourth', 10)
  await settled()

  assert.deepEqual(granted, ['first', 'second', 'fourth'])
})

test('a share that asks for less releases the rest at once', async () => {
  const budget = new MemoryBudget({ total: 10 })
  const share = budget.open()
  const other = budget.open()

  await share.reserve(8)
  const waiting = other.reserve(5)
  await share.reserve(5)

  await waiting
})

test('shares that grow never keep each other waiting for ever', async () => {
  const budget = new MemoryBudget({ total: 10 })
  const { granted, settled } = trackGrants(budget)
  const [first, second] = [budget.open(), budget.open()]
  await first.reserve(4, 8)

  void second.reserve(4, 8).then(() => granted.push('second, the beginning'))
  await settled()
  const before = [...granted]
  await first.reserve(8, 8)
  first[Symbol.dispose]()
  await settled()

  assert.deepEqual(before, [], 'neither could have got the rest')
  assert.deepEqual(granted, ['second, the beginning'])
})

test('one that may still grow lets others begin as long as all can finish', async () => {
  const budget = new MemoryBudget({ total: 10 })
  const { granted, request, settled } = trackGrants(budget)
  await budget.open().reserve(2, 8)

  request('whole', 2)
  void budget
    .open()
    .reserve(3, 9)
    .then(() => granted.push('growing'))
  await settled()

  assert.deepEqual(granted, ['whole'])
})

test('an account gets no more than its own limit, and what is left is for others', async () => {
  const budget = new MemoryBudget({ total: 10, accountMax: 6 })
  const { granted, request, settled } = trackGrants(budget)

  for (const name of ['a1', 'a2', 'a3']) request(name, 3, 'a')
  request('b1', 4, 'b')
  await settled()

  assert.deepEqual(granted, ['a1', 'a2', 'b1'])
})

test('the account that has the least comes first', async () => {
  const budget = new MemoryBudget({ total: 10 })
  const { granted, request, settled } = trackGrants(budget)
  const filling = request('filling', 5, 'c')
  request('a1', 5, 'a')

  request('a2', 5, 'a')
  request('b1', 5, 'b')
  filling[Symbol.dispose]()
  await settled()

  assert.deepEqual(granted, ['filling', 'a1', 'b1'])
})

test('of accounts that have nothing, the one that was granted something last comes last', async () => {
  const budget = new MemoryBudget({ total: 10 })
  const { granted, request, settled } = trackGrants(budget)
  const first = request('a1', 9, 'a')
  const second = request('a2', 9, 'a')
  request('a3', 9, 'a')
  const other = request('b1', 9, 'b')

  first[Symbol.dispose]()
  await settled()
  other[Symbol.dispose]()
  second[Symbol.dispose]()
  await settled()

  assert.deepEqual(granted, ['a1', 'b1', 'a2', 'a3'])
})

test('a share is wanted while somebody waits whom it could help', async () => {
  const budget = new MemoryBudget({ total: 10, accountMax: 6 })
  const [ofA, ofB] = [budget.open('a'), budget.open('b')]
  await ofA.reserve(4)
  await ofB.reserve(2)
  const seen = [[ofA.isWanted(), ofB.isWanted()]]

  const ownLimit = budget.open('a')
  void ownLimit.reserve(3)
  seen.push([ofA.isWanted(), ofB.isWanted()])
  void budget.open('c').reserve(5)
  seen.push([ofA.isWanted(), ofB.isWanted()])

  assert.deepEqual(seen, [
    [false, false],
    [true, false],
    [true, true],
  ])
})

test('a share that was disposed of is granted nothing', async () => {
  const budget = new MemoryBudget({ total: 10 })
  const { granted, request, settled } = trackGrants(budget)
  const over = request('over', 5)
  over[Symbol.dispose]()

  void over.reserve(10)
  request('other', 10)
  await settled()

  assert.deepEqual(granted, ['over', 'other'])
})
