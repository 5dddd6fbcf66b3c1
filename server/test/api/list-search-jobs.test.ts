import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsIn } from '../support/error-bodies.ts'
import { startTestService } from '../support/test-service.ts'

test('the list of searches is empty, whatever is asked for', async (t) => {
  const account = await (await startTestService(t)).createAccount()
  const filters =
    'query=fish&status=completed&start_date=2026-01-01&end_date=2026-02-01T00:00:00.000000%2B0000'

  const plain = await account.call('GET /v1/search/jobs')
  const filtered = await account.call(`GET /v1/search/jobs?${filters}&page=3&page_size=7`)

  assert.deepEqual(plain.json(), { jobs: [], page: 1, page_size: 100, page_count: 0 })
  assert.deepEqual(filtered.json(), { jobs: [], page: 3, page_size: 7, page_count: 0 })
})

test('filters of the list of searches that are not valid get 422', async (t) => {
  const account = await (await startTestService(t)).createAccount()
  const wrong = 'status=done&start_date=soon&page=0&page_size=101'

  assert.deepEqual(faultsIn(await account.call(`GET /v1/search/jobs?${wrong}`)).sort(), [
    'query.page greater_than_equal',
    'query.page_size less_than_equal',
    'query.start_date datetime_parsing',
    'query.status literal_error',
  ])
})
