import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { submitTask } from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'

test('the alternative path of an extract job', async (t) => {
  const { url, createAccount } = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const account = await createAccount()
  const body = { url: 'http://target.test/', callbackUrl: 'http://hooks.test/' }
  const id = await submitTask(account, body)

  await t.test('the alternative path of a job gets the same 200 as the first', async () => {
    const answer = await account.call(`GET /v1/extract/jobs/${id}`)

    assert.equal(answer.statusCode, 200)
    assert.equal(answer.text, (await account.call(`GET /v1/extract/${id}`)).text)
  })

  await t.test('the alternative path of a job gets 401, 404 and 422 like the first', async () => {
    const unknown = '11111111-1111-1111-1111-111111111111'

    assertFailure(await callApi(url, `GET /v1/extract/jobs/${id}`), 'UNAUTHORIZED')
    assertFailure(await account.call(`GET /v1/extract/jobs/${unknown}`), 'NOT_FOUND')
    const faults = faultsIn(await account.call('GET /v1/extract/jobs/x'))
    assert.deepEqual(faults, ['path.job_id uuid_parsing'])
  })
})
