import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { startTestService } from '../support/test-service.ts'

test('any search id gets 404, and one that is not a UUID 422', async (t) => {
  const account = await (await startTestService(t)).createAccount()

  const unknown = await account.call('GET /v1/search/01890000-0000-7000-8000-000000000000')
  const wrong = await account.call('GET /v1/search/x')

  assertFailure(unknown, 'NOT_FOUND')
  assert.deepEqual(faultsIn(wrong), ['path.job_id uuid_parsing'])
})
