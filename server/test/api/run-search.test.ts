import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { startTestService } from '../support/test-service.ts'

test('a search gets 503 without Retry-After, since no search engine is configured', async (t) => {
  const account = await (await startTestService(t)).createAccount()
  const full = {
    query: 'fish',
    locale: 'en-US',
    page: 2,
    safe: 'moderate',
    time_range: 'week',
    engine: 'brave',
  }
  const unset = { query: 'fish', locale: null, page: null, safe: null, time_range: null }

  for (const body of [{ query: 'fish' }, full, unset]) {
    const answer = await account.callWithoutRetry('POST /v1/search', body)

    const { message } = assertFailure(answer, 'SEARCH_UNAVAILABLE')
    assert.equal(answer.statusCode, 503)
    assert.equal(answer.headers['retry-after'], undefined)
    assert.match(String(message), /no search engine/)
  }
})

test('a search that is not valid gets 422 with every fault', async (t) => {
  const account = await (await startTestService(t)).createAccount()

  const missing = await account.call('POST /v1/search', {})
  const wrong = await account.call('POST /v1/search', { query: '', page: 0, safe: 'very' })

  assert.deepEqual(faultsIn(missing), ['body.query missing'])
  assert.deepEqual(faultsIn(wrong), [
    'body.query string_too_short',
    'body.page greater_than_equal',
    'body.safe literal_error',
  ])
})
