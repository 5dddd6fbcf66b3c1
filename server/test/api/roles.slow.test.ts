import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../src/http/routes.ts'
import { basicOf, callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startTestService } from '../support/test-service.ts'

const probePaths = ['/livez', '/readyz', '/health', '/metrics']

for (const roles of ['worker', 'delivery', 'worker,delivery']) {
  test(`a process with the roles ${roles} serves health and metrics, and 404 for the rest`, async (t) => {
    const environment = { TRAWL_ROLES: roles }
    const { url, createAccount } = await startTestService(t, { environment })
    const { username, password, apiKey } = await createAccount()
    const offers: Record<string, string>[] = [
      {},
      { 'x-api-key': apiKey },
      { authorization: basicOf(username, password) },
    ]

    for (const { method, path } of routes) {
      const request = `${method} ${path.replaceAll(/:\w+/g, '01a1def5-68ae-7e29-9849-4f82ca93e413')}`
      const body = method === 'GET' ? undefined : {}
      for (const headers of offers) {
        const answer = await callApi(url, request, { headers, body })
        if (probePaths.includes(path)) assert.equal(answer.statusCode, 200, request)
        else {
          const { message } = assertFailure(answer, 'NOT_FOUND')
          assert.match(String(message), /serves .*\/livez.* only/)
        }
      }
    }
  })
}
