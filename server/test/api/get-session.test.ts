import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basicOf, callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'

const getSession = 'GET /v1/session'

onBothStores((kind, start) => {
  test(`${kind}: a caller learns who it is and what its credential opens`, async (t) => {
    const { url, createAccount } = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const { username, password, apiKey, call } = await createAccount()
    const cookieFor = async (body: object) => {
      const { headers } = await callApi(url, 'POST /v1/session', { body })
      return { cookie: headers['set-cookie']?.split(';')[0] ?? '' }
    }
    const seen = async (headers: Record<string, string>) =>
      (await callApi(url, getSession, { headers })).json()

    const byKey = { username, opens_access: false, ends_at: null }
    assert.deepEqual(await seen({ 'x-api-key': apiKey }), byKey)
    const authorization = basicOf(username, password)
    assert.deepEqual(await seen({ authorization }), { ...byKey, opens_access: true })
    const ofPassword = await seen(await cookieFor({ username, password }))
    const hoursLeft = (Date.parse(ofPassword.ends_at) - Date.now()) / 3_600_000
    assert.deepEqual([ofPassword.opens_access, Math.round(hoursLeft)], [true, 12])
    assert.equal((await seen(await cookieFor({ api_key: apiKey }))).opens_access, false)

    await call('POST /api/configuration/active/whitelisted-ips', { ips: [{ ip: '127.0.0.1' }] })
    assertFailure(await callApi(url, getSession), 'UNAUTHORIZED')
  })
})
