import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flowName, readFlow, withKey } from './flow.ts'

test('a flow is read back from its name, whatever characters its concurrency key has', () => {
  const members = { accountId: 'account', jobId: 'job', concurrencyKey: 'https://a.example/b c' }

  const flow = readFlow(flowName(members))

  assert.deepEqual(flow, {
    name: 'account/job/https://a.example/b c',
    accountId: 'account',
    concurrencyKey: 'https://a.example/b c',
    suspicion: 'none',
  })
  assert.equal(readFlow(flowName({ accountId: 'account' })).concurrencyKey, undefined)
})

test('a flow keeps its account and job under another concurrency key', () => {
  assert.equal(
    withKey('account/job/https://a.example/b', 'browser account'),
    'account/job/browser account',
  )
  assert.equal(withKey('account//https://a.example/b', undefined), 'account//')
  assert.equal(withKey('account/~job/key', undefined), 'account/~job/')
})

test('the name of a flow says how often a process died with its entries', () => {
  const suspicionIn = (name: string) => readFlow(name).suspicion

  assert.deepEqual(['account/~job/key', 'account/~/'].map(suspicionIn), ['once', 'once'])
  assert.deepEqual(['account/~~job/key', 'account/~~/'].map(suspicionIn), ['twice', 'twice'])
  assert.deepEqual(['account/job/~key', 'account//~~'].map(suspicionIn), ['none', 'none'])
})
