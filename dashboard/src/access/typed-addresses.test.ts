import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback, isWithin, readAddresses, refusalOfMyAddress } from './typed-addresses.ts'

test('addresses are read from lines, commas and spaces, each once', () => {
  assert.deepEqual(readAddresses(' 192.0.2.1\n2001:db8::/48, 192.0.2.1;\r\n198.51.100.0/24 '), [
    '192.0.2.1',
    '2001:db8::/48',
    '198.51.100.0/24',
  ])
})

test('none and too many are refused with the reason', () => {
  assert.throws(() => readAddresses(' \n'), /Give an address/)
  const eleven = Array.from({ length: 11 }, (_, last) => `192.0.2.${last}`).join('\n')
  assert.throws(() => readAddresses(eleven), /10 addresses at most; these are 11/)
})

test('the own address can be added unless it is on the list or that of the machine itself', () => {
  assert.equal(refusalOfMyAddress('203.0.113.7', []), undefined)
  assert.equal(refusalOfMyAddress('203.0.113.7', ['203.0.113.8', '::/32']), undefined)
  assert.match(refusalOfMyAddress('127.0.0.1', []) ?? '', /machine of the service/)
  assert.match(refusalOfMyAddress('203.0.113.7', ['203.0.113.7']) ?? '', /on the list/)
  assert.match(refusalOfMyAddress('203.0.113.7', ['203.0.113.0/24']) ?? '', /within 203/)
})

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
