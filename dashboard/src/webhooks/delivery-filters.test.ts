import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDeliveryFilters, withDeliveryFilters } from './delivery-filters.ts'

const read = (search: string) => readDeliveryFilters(new URLSearchParams(search))
const id = '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917'

test('what of the deliveries is shown is read from the address, and what cannot be is left out', () => {
  assert.deepEqual(read(''), { page: 1 })
  assert.deepEqual(read(`status=failed&page=3&delivery=${id}`), {
    status: 'failed',
    page: 3,
    delivery: id,
  })
  assert.deepEqual(read('status=<b>&page=-1&delivery=../keys'), { page: 1 })
})

test('another status begins at its first page, and an empty value leaves the address', () => {
  const search = new URLSearchParams(`status=failed&page=3&delivery=${id}`)
  const changed = (change: Parameters<typeof withDeliveryFilters>[1]) =>
    String(withDeliveryFilters(search, change))

  assert.equal(changed({ status: 'pending' }), `status=pending&delivery=${id}`)
  assert.equal(changed({ status: '' }), `delivery=${id}`)
  assert.equal(changed({ page: 1, delivery: '' }), 'status=failed')
})
