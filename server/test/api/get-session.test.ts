import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basicOf, callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'

const getSession = 'GET /v1/session'

onBothStores((kind, start) => {
  test(`${kind}: a caller learns who it is and what its credential opens`, async (t) => {
    const { url, createAccount, credentials } = await start(t, {
      environment: { TRAWL_ROLES: 'api', TRAWL_TRUST_PROXY: '127.0.0.1' },
    })
    const { username, password, apiKey, call } = await createAccount()
    const cookieFor = async (body: object) => {
      const { headers } = await callApi(url, 'POST /v1/session', { body })
      return { cookie: headers['set-cookie']?.split(';')[0] ?? '' }
    }
    const seen = async (headers: Record<string, string>) =>
      (await callApi(url, getSession, { headers })).json()

    const client_address = '127.0.0.1'
    const byKey = {
      username,
      opens_access: false,
      is_operator: false,
      ends_at: null,
      client_address,
    }
    assert.deepEqual(await seen({ 'x-api-key': apiKey }), byKey)
    const forwarded = { 'x-api-key': apiKey, 'x-forwarded-for': '::ffff:203.0.113.7' }
    assert.equal((await seen(forwarded)).client_address, '203.0.113.7')
    const authorization = basicOf(username, password)
    assert.deepEqual(await seen({ authorization }), { ...byKey, opens_access: true })
    const ofPassword = await seen(await cookieFor({ username, password }))
    const hoursLeft = (Date.parse(ofPassword.ends_at) - Date.now()) / 3_600_000
    assert.deepEqual([ofPassword.opens_access, Math.round(hoursLeft)], [true, 12])
    assert.equal((await seen(await cookieFor({ api_key: apiKey }))).opens_access, false)

    assert.equal((await seen({ 'x-api-key': credentials?.apiKey ?? '' })).is_operator, true)

    await call('POST /api/configuration/active/whitelisted-ips', { ips: [{ ip: '127.0.0.1' }] })
    assertFailure(await callApi(url, getSession), 'UNAUTHORIZED')
  })
})
