import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { startTestService } from '../support/test-service.ts'

test('a search is asked for by the second spelling of its path, too', async (t) => {
  const account = await (await startTestService(t)).createAccount()

  const unknown = await account.call('GET /v1/search/jobs/01890000-0000-7000-8000-000000000000')
  const wrong = await account.call('GET /v1/search/jobs/x')

  assertFailure(unknown, 'NOT_FOUND')
  assert.deepEqual(faultsIn(wrong), ['path.job_id uuid_parsing'])
})
