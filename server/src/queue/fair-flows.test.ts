import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flowName, readFlow } from '../domain/task/flow.ts'
import { ConcurrencyLimits } from './concurrency-limits.ts'
import { FairFlows, type Turn } from './fair-flows.ts'

const flow = (accountId: string, jobId = '', concurrencyKey = '') =>
  flowName({ accountId, jobId, concurrencyKey })

function createFlows(max = Number.POSITIVE_INFINITY) {
  const limits = new ConcurrencyLimits(() => ({ max, isGlobal: true }))
  return { limits, flows: new FairFlows(limits) }
}

const counts = (turns: readonly Turn[]) =>
  Object.fromEntries(turns.map(({ flow, count }) => [flow.name, count]))

test('accounts share the slots equally, however many flows one of them has', () => {
  const { flows } = createFlows()
  for (const job of ['1', '2', '3']) flows.announce(flow('many', job))
  flows.announce(flow('one'))

  const turns = flows.takeTurns(12)

  assert.deepEqual(counts(turns), { 'many/1/': 2, 'many/2/': 2, 'many/3/': 2, 'one//': 6 })
})

test('a flow has one claim at a time, of at most 32 entries', () => {
  const { flows } = createFlows()
  flows.announce(flow('a'))

  const [turn] = flows.takeTurns(100)
  const meanwhile = flows.takeTurns(100)

  assert.equal(turn?.count, 32)
  assert.deepEqual(meanwhile, [])
})

test('a flow without more entries has no turn until it is announced again', () => {
  const { flows } = createFlows()
  flows.announce(flow('a'))
  const [first] = flows.takeTurns(2)
  assert(first)
  flows.claimed(first, 1, false)
  const forgotten = flows.takeTurns(2)

  flows.announce(flow('a'))

  assert.deepEqual(forgotten, [])
  assert.deepEqual(counts(flows.takeTurns(2)), { 'a//': 2 })
})

test('a flow that is announced during its own claim has another turn', () => {
  const { flows } = createFlows()
  flows.announce(flow('a'))
  const [turn] = flows.takeTurns(1)
  assert(turn)

  flows.announce(flow('a'))
  flows.claimed(turn, 0, false)

  assert.deepEqual(counts(flows.takeTurns(1)), { 'a//': 1 })
})

test('a concurrency key has no more turns than its limit, over all flows that share it', () => {
  const { flows } = createFlows(3)
  flows.announce(flow('a', '', 'key'))
  flows.announce(flow('b', '', 'key'))

  const turns = flows.takeTurns(10)

  assert.deepEqual(counts(turns), { 'a//key': 2, 'b//key': 1 })
})

test('a blocked flow has its turn once a slot of its key is released', () => {
  const { flows, limits } = createFlows(1)
  flows.announce(flow('a', '', 'key'))
  const [turn] = flows.takeTurns(5)
  assert(turn)
  flows.claimed(turn, 1, true)
  const whileBlocked = flows.takeTurns(5)

  limits.unclaim({ concurrencyKey: 'key', accountId: 'a' })
  flows.unblock('key')

  assert.deepEqual(whileBlocked, [])
  assert.deepEqual(counts(flows.takeTurns(5)), { 'a//key': 1 })
})

test('a flow whose key other processes hold has no turn until a slot is released', () => {
  const { flows } = createFlows(10)
  flows.announce(flow('a', '', 'key'))
  const [turn] = flows.takeTurns(10)
  assert(turn)

  flows.claimed(turn, 0, true)
  const atOnce = flows.takeTurns(10)
  flows.announce(flow('a', '', 'key'))

  assert.deepEqual(atOnce, [])
  assert.deepEqual(counts(flows.takeTurns(10)), { 'a//key': 10 })
})

test('slots that a claim did not use are free for other flows of the key', () => {
  const { flows } = createFlows(4)
  flows.announce(flow('a', '', 'key'))
  const [turn] = flows.takeTurns(10)
  assert(turn)

  flows.claimed(turn, 1, false)
  flows.announce(flow('b', '', 'key'))

  assert.deepEqual(counts(flows.takeTurns(10)), { 'b//key': 3 })
})

test('a flow counts as backlogged while it waits, is blocked or is being claimed', () => {
  const { flows } = createFlows(1)
  const name = flow('a', '', 'key')
  const asFlow = readFlow(name)
  const seen = [flows.isBacklogged(asFlow)]
  flows.announce(name)
  seen.push(flows.isBacklogged(asFlow))
  const [turn] = flows.takeTurns(1)
  assert(turn)
  seen.push(flows.isBacklogged(asFlow))
  flows.claimed(turn, 1, true)
  flows.takeTurns(1)
  seen.push(flows.isBacklogged(asFlow))

  assert.deepEqual(seen, [false, true, true, true])
})
