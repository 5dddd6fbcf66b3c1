import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { onBothStores } from '../support/test-service.ts'

const sessionPath = '/v1/session'

onBothStores((kind, start) => {
  test(`${kind}: signing out ends the session at once, and no other`, async (t) => {
    const { url, createAccount } = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const { username, password } = await createAccount()
    const signIn = async () => {
      const { headers } = await callApi(url, `POST ${sessionPath}`, {
        body: { username, password },
      })
      return { cookie: headers['set-cookie']?.split(';')[0] ?? '' }
    }
    const status = async (headers: { cookie: string }) =>
      (await callApi(url, 'GET /v1/webhooks', { headers })).statusCode
    const [one, other] = [await signIn(), await signIn()]
    assert.deepEqual([await status(one), await status(other)], [200, 200])

    const answer = await callApi(url, `DELETE ${sessionPath}`, { headers: one })
    const again = await callApi(url, `DELETE ${sessionPath}`, { headers: one })
    const without = await callApi(url, `DELETE ${sessionPath}`)

    for (const { statusCode, headers } of [answer, again, without]) {
      assert.equal(statusCode, 204)
      assert.match(headers['set-cookie'] ?? '', /^trawl_session=; Max-Age=0; Path=\/; HttpOnly/)
    }
    assert.deepEqual([await status(one), await status(other)], [401, 200])
  })
})
