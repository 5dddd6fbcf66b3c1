import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHeartbeatWatch } from './heartbeat-watch.ts'

const row = { processId: 'a', address: '127.0.0.1', port: 8080, untilMs: 1 }
const other = { ...row, processId: 'b' }

test('a row is silent when it was unchanged in the given number of reads after the first', () => {
  const findWithoutHeartbeat = createHeartbeatWatch(3)

  assert.deepEqual(findWithoutHeartbeat([row]), [])
  assert.deepEqual(findWithoutHeartbeat([row, other]), [])
  assert.deepEqual(findWithoutHeartbeat([row, other]), [])
  assert.deepEqual(findWithoutHeartbeat([row, other]), [row])
  assert.deepEqual(findWithoutHeartbeat([row, other]), [row, other])
})

test('a heartbeat restarts the count, even from a clock that was set back', () => {
  const findWithoutHeartbeat = createHeartbeatWatch(2)
  const reads = [5, 5, 4, 4, 6, 6].map((untilMs) => findWithoutHeartbeat([{ ...row, untilMs }]))

  assert.deepEqual(reads.flat(), [])
})

test('a row that disappeared and came back is counted from its return', () => {
  const findWithoutHeartbeat = createHeartbeatWatch(2)
  const reads = [[row], [row], [], [row], [row]].map((rows) => findWithoutHeartbeat(rows))

  assert.deepEqual(reads.flat(), [])
  assert.deepEqual(findWithoutHeartbeat([row]), [row])
})
