import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flowName, readFlow } from '../domain/task/flow.ts'
import { ConcurrencyLimits } from './concurrency-limits.ts'
import { FairFlows, type FlowClaim } from './fair-flows.ts'

const flow = (accountId: string, jobId = '', concurrencyKey = '') =>
  flowName({ accountId, jobId, concurrencyKey })

function createFlows(max = Number.POSITIVE_INFINITY) {
  const limits = new ConcurrencyLimits(() => ({ max, isGlobal: true }))
  return { limits, flows: new FairFlows(limits) }
}

const counts = (claims: readonly FlowClaim[]) =>
  Object.fromEntries(claims.map(({ flow, count }) => [flow.name, count]))

test('accounts share the slots equally, however many flows one of them has', () => {
  const { flows } = createFlows()
  for (const job of ['1', '2', '3']) flows.announce(flow('many', job))
  flows.announce(flow('one'))

  const claims = flows.planClaims(12)

  assert.deepEqual(counts(claims), { 'many/1/': 2, 'many/2/': 2, 'many/3/': 2, 'one//': 6 })
})

test('a flow has one claim at a time, of at most 32 entries', () => {
  const { flows } = createFlows()
  flows.announce(flow('a'))

  const [claim] = flows.planClaims(100)
  const meanwhile = flows.planClaims(100)

  assert.equal(claim?.count, 32)
  assert.deepEqual(meanwhile, [])
})

test('a flow without more entries has no turn until it is announced again', () => {
  const { flows } = createFlows()
  flows.announce(flow('a'))
  const [first] = flows.planClaims(2)
  assert(first)
  flows.claimed(first, 1, false)
  const forgotten = flows.planClaims(2)

  flows.announce(flow('a'))

  assert.deepEqual(forgotten, [])
  assert.deepEqual(counts(flows.planClaims(2)), { 'a//': 2 })
})

test('a flow that is announced while it is claimed from is claimed from again', () => {
  const { flows } = createFlows()
  flows.announce(flow('a'))
  const [claim] = flows.planClaims(1)
  assert(claim)

  flows.announce(flow('a'))
  flows.claimed(claim, 0, false)

  assert.deepEqual(counts(flows.planClaims(1)), { 'a//': 1 })
})

test('a concurrency key has no more turns than its limit, over all flows that share it', () => {
  const { flows } = createFlows(3)
  flows.announce(flow('a', '', 'key'))
  flows.announce(flow('b', '', 'key'))

  const claims = flows.planClaims(10)

  assert.deepEqual(counts(claims), { 'a//key': 2, 'b//key': 1 })
})

test('a blocked flow has its turn once a slot of its key is released', () => {
  const { flows, limits } = createFlows(1)
  flows.announce(flow('a', '', 'key'))
  const [claim] = flows.planClaims(5)
  assert(claim)
  flows.claimed(claim, 1, true)
  const whileBlocked = flows.planClaims(5)

  limits.unclaim({ concurrencyKey: 'key', accountId: 'a' })
  flows.unblock('key')

  assert.deepEqual(whileBlocked, [])
  assert.deepEqual(counts(flows.planClaims(5)), { 'a//key': 1 })
})

test('a flow whose key other processes hold has no turn until a slot is released', () => {
  const { flows } = createFlows(10)
  flows.announce(flow('a', '', 'key'))
  const [claim] = flows.planClaims(10)
  assert(claim)

  flows.claimed(claim, 0, true)
  const atOnce = flows.planClaims(10)
  flows.announce(flow('a', '', 'key'))

  assert.deepEqual(atOnce, [])
  assert.deepEqual(counts(flows.planClaims(10)), { 'a//key': 10 })
})

test('slots that a claim did not use are free for other flows of the key', () => {
  const { flows } = createFlows(4)
  flows.announce(flow('a', '', 'key'))
  const [claim] = flows.planClaims(10)
  assert(claim)

  flows.claimed(claim, 1, false)
  flows.announce(flow('b', '', 'key'))

  assert.deepEqual(counts(flows.planClaims(10)), { 'b//key': 3 })
})

test('a flow counts as backlogged while it waits, is blocked or is being claimed', () => {
  const { flows } = createFlows(1)
  const name = flow('a', '', 'key')
  const asFlow = readFlow(name)
  const seen = [flows.isBacklogged(asFlow)]
  flows.announce(name)
  seen.push(flows.isBacklogged(asFlow))
  const [claim] = flows.planClaims(1)
  assert(claim)
  seen.push(flows.isBacklogged(asFlow))
  flows.claimed(claim, 1, true)
  flows.planClaims(1)
  seen.push(flows.isBacklogged(asFlow))

  assert.deepEqual(seen, [false, true, true, true])
})
