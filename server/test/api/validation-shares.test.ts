import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const requestsCount = 60
const readsCount = 10

/** Each takes milliseconds to validate, as all its patterns are compiled. */
const slowToValidate = {
  url: 'ftp://refused.example/',
  configurations: {
    HTMLMinifier: {
      useMinifier: true,
      ignoreCustomComments: [1, 2, 3, 4].map((end) => `/${String.raw`\W`.repeat(238)}${end}/i`),
    },
  },
}

test('requests that take long to validate do not hold up those of another account', async (t) => {
  const service = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const [greedy, other] = [await service.createAccount(), await service.createAccount()]
  for (const account of [greedy, other]) await account.callWithoutRetry('GET /v1/webhooks')

  let refusedCount = 0
  const requests = Array.from({ length: requestsCount }, async () => {
    const { statusCode } = await greedy.callWithoutRetry('POST /v1/extract', slowToValidate)
    assert.equal(statusCode, 422)
    refusedCount += 1
  })
  // By then all of them have arrived.
  await until(() => refusedCount > 0)
  const before = refusedCount
  for (let read = 0; read < readsCount; read += 1) {
    const { statusCode } = await other.callWithoutRetry('GET /v1/webhooks')
    assert.equal(statusCode, 200)
  }
  const meanwhile = refusedCount - before
  await Promise.all(requests)

  assert.ok(meanwhile < readsCount, `${meanwhile} were validated meanwhile`)
})
