import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDiskLow } from './disk-space.ts'

const disk = (freeBytes: number) => ({ freeBytes, totalBytes: 1000 })

test('a disk is low when less than the required share is free', () => {
  assert.equal(isDiskLow(disk(49), { share: 0.05 }), true)
  assert.equal(isDiskLow(disk(50), { share: 0.05 }), false)
})

test('a disk is low when less than the required size is free', () => {
  assert.equal(isDiskLow(disk(199), { bytes: 200 }), true)
  assert.equal(isDiskLow(disk(200), { bytes: 200 }), false)
})

test('a disk is never low if it cannot be measured or the minimum is zero', () => {
  assert.equal(isDiskLow(undefined, { share: 1 }), false)
  assert.equal(isDiskLow(disk(0), { share: 0 }), false)
})
