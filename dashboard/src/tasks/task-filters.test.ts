import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTaskFilters, withTaskFilter } from './task-filters.ts'

test('filters are read from the address, and what is none is left out', () => {
  const search = new URLSearchParams('status=failed&host=example.com&url=%20&x=1')

  assert.deepEqual(readTaskFilters(search), { status: 'failed', host: 'example.com' })
  for (const none of ['status=<script>', 'job=1', 'code=NO', 'host=a/b', 'start_date=today']) {
    assert.deepEqual(readTaskFilters(new URLSearchParams(none)), {}, none)
  }
  const all = {
    code: 'TARGET_TIMEOUT',
    job: '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917',
    start_date: '2026-03-01',
    end_date: '2026-03-02',
  }
  assert.deepEqual(readTaskFilters(new URLSearchParams(all)), all)
})

test('a changed filter changes the address, and an empty one leaves it', () => {
  const search = new URLSearchParams('status=failed&host=a.example')

  assert.equal(
    String(withTaskFilter(search, 'host', ' b.example ')),
    'status=failed&host=b.example',
  )
  assert.equal(String(withTaskFilter(search, 'status', '')), 'host=a.example')
})
