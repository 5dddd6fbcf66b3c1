import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJobFilters, readPageFilter, withJobFilter, withPageStatus } from './job-filters.ts'

test('filters of jobs are read from the address, and what is none is left out', () => {
  const search = new URLSearchParams('kind=crawl&status=failed&before=2026-03-02T09:30:00.000Z')

  assert.deepEqual(readJobFilters(search), {
    kind: 'crawl',
    status: 'failed',
    before: '2026-03-02T09:30:00.000Z',
  })
  assert.deepEqual(readJobFilters(new URLSearchParams('kind=toString&status=x&before=y')), {})
})

test('another filter begins with the newest jobs and with the first page', () => {
  const search = new URLSearchParams('kind=crawl&before=2026-03-02&page=3')

  assert.equal(String(withJobFilter(search, 'kind', '')), 'page=3')
  assert.equal(String(withPageStatus(new URLSearchParams('page=3'), 'failed')), 'status=failed')
})

test('the number of a page is whole and positive', () => {
  const pageIn = (text: string) => readPageFilter(new URLSearchParams({ page: text })).page

  assert.deepEqual(['2', '0', '-1', '1.5', '1e9', '<b>'].map(pageIn), [2, 1, 1, 1, 1, 1])
})
