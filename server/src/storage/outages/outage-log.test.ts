import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, type Log } from '../../runtime/log.ts'
import { OutageLog } from './outage-log.ts'
import { storeFull, storeUnavailable } from './store-unavailable.ts'

function createOutageLog() {
  const lines: Record<string, unknown>[] = []
  const record = (facts: object, msg: string) => void lines.push({ ...facts, msg })
  const silent = createLog({ level: 'silent', isPretty: false })
  const log = { ...silent, warn: record as Log['warn'], error: record as Log['error'] }
  const clock = { nowMs: 0 }
  const outages = new OutageLog({ log, place: 'a store', nowMs: () => clock.nowMs })
  const failAt = (nowMs: number, failure = storeUnavailable('It is silent.')) => {
    clock.nowMs = nowMs
    outages.failed(failure)
  }
  const succeedAt = (nowMs: number) => {
    clock.nowMs = nowMs
    outages.succeeded()
  }
  return { lines, failAt, succeedAt, messages: () => lines.map(({ msg }) => msg) }
}

const begun =
  'Calls to the store a store fail: It is silent. They are retried; another line says when they succeed again.'

test('an outage is two lines: why calls fail, then for how long and how many did', () => {
  const { lines, failAt, succeedAt, messages } = createOutageLog()

  for (let nowMs = 0; nowMs <= 27_000; nowMs += 100) failAt(nowMs)
  for (let nowMs = 27_100; nowMs <= 40_000; nowMs += 100) succeedAt(nowMs)

  assert.deepEqual(messages(), [
    begun,
    'Calls to the store a store succeed again: 271 had failed within 27 s.',
  ])
  assert.equal(lines[0]?.['code'], 'STORE_UNAVAILABLE')
  assert.deepEqual([lines[1]?.['seconds'], lines[1]?.['failedCalls']], [27, 271])
})

test('calls that succeed between failing ones do not end an outage', () => {
  const { failAt, succeedAt, messages } = createOutageLog()

  for (let nowMs = 0; nowMs < 30_000; nowMs += 1_000) {
    failAt(nowMs)
    succeedAt(nowMs + 500)
  }

  assert.deepEqual(messages(), [begun])
})

test('a second outage gets lines of its own', () => {
  const { failAt, succeedAt, messages } = createOutageLog()

  for (const nowMs of [0, 60_000]) {
    failAt(nowMs)
    succeedAt(nowMs + 5_000)
  }

  const ended = 'Calls to the store a store succeed again: 1 had failed within 0 s.'
  assert.deepEqual(messages(), [begun, ended, begun, ended])
})

test('a store without space is one outage while it is read between its failing writes', () => {
  const { failAt, succeedAt, messages } = createOutageLog()

  for (let nowMs = 0; nowMs < 120_000; nowMs += 15_000) {
    failAt(nowMs, storeFull())
    for (let readMs = nowMs; readMs < nowMs + 15_000; readMs += 1_000) succeedAt(readMs)
  }

  assert.equal(messages().length, 1)
})
