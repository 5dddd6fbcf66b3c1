import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalOfMyAddress } from './my-address.ts'

test('the own address can be added unless it is on the list or that of the machine itself', () => {
  assert.equal(refusalOfMyAddress('203.0.113.7', []), undefined)
  assert.equal(refusalOfMyAddress('203.0.113.7', ['203.0.113.8', '::/32']), undefined)
  assert.match(refusalOfMyAddress('127.0.0.1', []) ?? '', /machine of the service/)
  assert.match(refusalOfMyAddress('203.0.113.7', ['203.0.113.7']) ?? '', /on the list/)
  assert.match(refusalOfMyAddress('203.0.113.7', ['203.0.113.0/24']) ?? '', /within 203/)
})
