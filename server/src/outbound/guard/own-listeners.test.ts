import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOwnListener } from './own-listeners.ts'

const known = {
  ports: new Set([8080, 9090]),
  endpoints: new Set(['127.0.0.1 8080', '10.0.0.7 9090']),
  ownAddresses: new Set(['10.0.0.5', '203.0.113.5', 'fd00::5']),
}

const own = [
  '127.0.0.1',
  '127.9.9.9',
  '::1',
  '0:0:0:0:0:0:0:1',
  '0.0.0.0',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '10.0.0.5',
  '::ffff:10.0.0.5',
  '203.0.113.5',
  '64:ff9b::203.0.113.5',
  '2002:cb00:7105::1',
  'FD00:0::5',
]

for (const address of own) {
  test(`a port of the service counts as its own at ${address}, an address of this machine`, () => {
    assert.ok(isOwnListener(known, address, 8080))
    assert.ok(isOwnListener(known, address, 9090), 'whichever machine it was recorded for')
    assert.ok(!isOwnListener(known, address, 8081), 'another port')
  })
}

test('on another machine a port counts as the service’s own at the recorded address only', () => {
  assert.ok(isOwnListener(known, '10.0.0.7', 9090))
  assert.ok(isOwnListener(known, '::ffff:10.0.0.7', 9090))
  assert.ok(!isOwnListener(known, '10.0.0.7', 8080))
  assert.ok(!isOwnListener(known, '10.0.0.8', 9090))
  assert.ok(!isOwnListener(known, '93.184.216.34', 8080))
})

test('text that is no address counts as own at a port of the service', () => {
  assert.ok(isOwnListener(known, 'fe80::1%eth0', 8080))
})
