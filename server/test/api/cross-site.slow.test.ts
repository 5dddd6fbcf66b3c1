import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../src/http/routes.ts'
import { basicOf, callApi } from '../support/call-api.ts'
import { assertFailure, assertTextFailure } from '../support/error-bodies.ts'
import { callbackPath, realtimePath } from '../support/scrape-calls.ts'
import { onBothStores, startTestService } from '../support/test-service.ts'

const whitelistPath = '/api/configuration/active/whitelisted-ips'
const attackersAddress = { ips: [{ ip: '192.0.2.66' }] }
const crossSite = { 'sec-fetch-site': 'cross-site' }

/** Headers that browsers send with a request from a page of another site. */
const foreign: Record<string, string>[] = [
  crossSite,
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site, none' },
  { origin: 'http://evil.example' },
  { origin: 'null' },
  { origin: '' },
  { origin: 'http://127.0.0.1:1' },
  { origin: 'https://127.0.0.1' },
  { origin: 'http://localhost' },
  { origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
  { origin: 'null', 'sec-fetch-site': 'same-origin' },
]

onBothStores((kind, start) => {
  test(`${kind}: a page of another site cannot change anything with a stored password (CSRF)`, async (t) => {
    const { url, createAccount } = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const { username, password, call } = await createAccount()
    const authorization = basicOf(username, password)

    for (const sent of foreign) {
      const headers = { authorization, ...sent }
      const answer = await callApi(url, `POST ${whitelistPath}`, {
        headers,
        body: attackersAddress,
      })
      const { message } = assertTextFailure(answer, 'FORBIDDEN')
      assert.match(String(message), /X-Api-Key|TRAWL_PUBLIC_URL/)
    }
    assert.deepEqual((await call(`GET ${whitelistPath}`)).json().data, [])

    const origin = url.replace('http:', 'https:')
    for (const sent of [{}, { origin: url }, { origin }, { 'sec-fetch-site': 'same-origin' }]) {
      const headers = { authorization, ...sent }
      const body = { ip: '192.0.2.66', description: 'mine' }
      const answer = await callApi(url, `PUT ${whitelistPath}`, { headers, body })
      assertTextFailure(answer, 'NOT_FOUND')
    }
  })
})

test('every route that changes data refuses cross-site requests before it reads the body', async (t) => {
  const { url, createAccount } = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const { username, password } = await createAccount()
  const headers = { authorization: basicOf(username, password), ...crossSite }

  for (const { method, path, family } of routes) {
    if (method === 'GET') continue
    const request = `${method} ${path.replaceAll(/:\w+/g, '01a1def5-68ae-7e29-9849-4f82ca93e413')}`
    const answer = await callApi(url, request, { headers, body: '{broken' })
    const assertRefused = family === 'configuration' ? assertTextFailure : assertFailure
    assertRefused(answer, 'FORBIDDEN')
  }
})

test('a whitelisted address is refused cross-site as an ambient credential, an API key is not', async (t) => {
  const { url, createAccount } = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const { apiKey, call, username, password } = await createAccount()
  await call(`POST ${whitelistPath}`, { ips: [{ ip: '127.0.0.1' }] })
  const ask = (headers: Record<string, string>) =>
    callApi(url, `POST ${realtimePath}`, { headers, body: {} })

  for (const sent of foreign) {
    assertFailure(await ask(sent), 'FORBIDDEN')
    assertFailure(await ask({ 'x-api-key': apiKey, ...sent }), 'VALIDATION_ERROR')
    assertFailure(await ask({ authorization: `Bearer ${apiKey}`, ...sent }), 'VALIDATION_ERROR')
  }
  assertFailure(await ask({}), 'VALIDATION_ERROR')
  const onPasswordRoute = await callApi(url, `POST ${whitelistPath}`, {
    headers: { 'x-api-key': apiKey, authorization: basicOf(username, password), ...crossSite },
    body: attackersAddress,
  })
  assertTextFailure(onPasswordRoute, 'FORBIDDEN')
})

test('cross-site reads are allowed, wrong credentials stay 401, refusals use up no rate limit', async (t) => {
  const { url, createAccount } = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const { username, password } = await createAccount()
  const authorization = basicOf(username, password)
  const get = (path: string, headers: Record<string, string>) =>
    callApi(url, `GET ${path}`, { headers })

  assert.equal((await get(callbackPath, { authorization, ...crossSite })).statusCode, 200)
  for (const wrong of [{}, { authorization: basicOf(username, 'wrong') }]) {
    const headers = { ...wrong, ...crossSite }
    const answer = await callApi(url, `POST ${whitelistPath}`, { headers, body: attackersAddress })
    assertTextFailure(answer, 'UNAUTHORIZED')
  }
  const first = await get(whitelistPath, { authorization })
  const headers = { authorization, ...crossSite }
  await callApi(url, `POST ${whitelistPath}`, { headers, body: attackersAddress })
  const second = await get(whitelistPath, { authorization })
  const remaining = (answer: typeof first) =>
    Number(/;r=(\d+)/.exec(answer.headers['ratelimit'] ?? '')?.[1])
  assert.equal(remaining(second), remaining(first) - 1)
})

test('pages of the public URL and of allowed hosts are same-site, their other ports are not', async (t) => {
  const { url, createAccount } = await startTestService(t, {
    environment: { TRAWL_ROLES: 'api', TRAWL_PUBLIC_URL: 'https://trawl.example/here/' },
  })
  const { username, password } = await createAccount()
  const statusFrom = async (origin: string) => {
    const headers = { authorization: basicOf(username, password), origin }
    const body = { ip: '192.0.2.1', description: '' }
    return (await callApi(url, `PUT ${whitelistPath}`, { headers, body })).statusCode
  }

  assert.equal(await statusFrom('https://trawl.example'), 404)
  assert.equal(await statusFrom(url), 404)
  for (const origin of [
    'https://trawl.example:8443',
    'http://trawl.example',
    'https://a.trawl.example',
  ]) {
    assert.equal(await statusFrom(origin), 403, origin)
  }
})
