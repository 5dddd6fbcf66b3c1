import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback, isWithin } from './address-blocks.ts'

test('an address is within its own block, and not within its neighbours', () => {
  assert.ok(isWithin('203.0.113.7', '203.0.113.7'))
  assert.ok(isWithin('203.0.113.0/24', '203.0.113.255'))
  assert.ok(!isWithin('203.0.113.0/24', '203.0.114.0'))
  assert.ok(isWithin('2001:db8::/32', '2001:db8:1::7'))
  assert.ok(isWithin('2001:db8::7', '2001:db8:0:0:0:0:0:7'))
  assert.ok(!isWithin('2001:db8::/32', '2001:db9::'))
})

test('addresses of two kinds, and what is none, are within nothing', () => {
  assert.ok(!isWithin('::/0', '203.0.113.7'))
  assert.ok(!isWithin('0.0.0.0/0', '::1'))
  for (const text of ['', 'localhost', '1.2.3', '1::2::3', ':::', '2001:db8::xyz', '1.2.3.4/33']) {
    assert.ok(!isWithin(text, '1.2.3.4'), text)
    assert.ok(!isWithin('0.0.0.0/0', text === '1.2.3.4/33' ? 'x' : text), text)
  }
})

test('loopback is known in both kinds', () => {
  assert.deepEqual(['127.0.0.1', '127.9.9.9', '::1'].map(isLoopback), [true, true, true])
  assert.deepEqual(['128.0.0.1', '::2', '10.0.0.1'].map(isLoopback), [false, false, false])
})
