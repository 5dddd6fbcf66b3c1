import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listStoreProcesses } from './store-processes.ts'

test('a process has its lanes and addresses together, and the time of its latest trace', () => {
  const processes = listStoreProcesses({
    lanes: [
      { processId: 'b', lane: 'http', slots: 64, seenAtMs: 20 },
      { processId: 'b', lane: 'browser', slots: 2, seenAtMs: 30 },
    ],
    ports: [
      { processId: 'b', address: '::1', port: 8081, seenAtMs: 10 },
      { processId: 'a', address: '127.0.0.1', port: 8080, seenAtMs: 5 },
    ],
  })

  assert.deepEqual(processes, [
    { id: 'a', lanes: [], listensOn: ['127.0.0.1:8080'], lastSeenAtMs: 5 },
    {
      id: 'b',
      lanes: [
        { lane: 'browser', slots: 2 },
        { lane: 'http', slots: 64 },
      ],
      listensOn: ['[::1]:8081'],
      lastSeenAtMs: 30,
    },
  ])
})
