import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAddresses } from './read-addresses.ts'

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
