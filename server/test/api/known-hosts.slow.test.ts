import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pathsOf } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes.ts'
import { basicOf } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { sendRaw } from '../support/raw-http.ts'
import { callbackPath, realtimePath } from '../support/scrape-calls.ts'
import { onBothStores, startTestService, type TestService } from '../support/test-service.ts'

const whitelistPath = '/api/configuration/active/whitelisted-ips'

/** Sends exactly these header lines, so that `Host` can be anything. */
async function ask({ url }: TestService, request: string, ...headers: string[]) {
  const [method, path] = request.split(' ')
  const lines = [`${method} ${path} HTTP/1.1`, ...headers, 'Connection: close', '', '']
  const { status, headers: answered, body } = await sendRaw(url, lines.join('\r\n'))
  return { statusCode: status, headers: answered, json: () => JSON.parse(body) }
}

async function startWithListedAddress(t: TestContext, environment: Record<string, string> = {}) {
  const service = await startTestService(t, { environment: { TRAWL_ROLES: 'api', ...environment } })
  const account = await service.createAccount()
  await listLoopback(account)
  return { service, account, port: new URL(service.url).port }
}

async function listLoopback(account: Awaited<ReturnType<TestService['createAccount']>>) {
  const answer = await account.call(`POST ${whitelistPath}`, { ips: [{ ip: '127.0.0.1' }] })
  assert.equal(answer.statusCode, 200, answer.text)
}

onBothStores((kind, start) => {
  test(`${kind}: a caller authenticated by address gets 403 for an unknown Host`, async (t) => {
    const service = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const account = await service.createAccount()
    await listLoopback(account)
    const { port } = new URL(service.url)

    for (const host of [`127.0.0.1:${port}`, '127.0.0.1', `localhost:${port}`, 'LocalHost.:1']) {
      const answer = await ask(service, `GET ${callbackPath}`, `Host: ${host}`)
      assert.equal(answer.statusCode, 200, host)
    }
    for (const host of ['evil.example', `evil.example:${port}`, '', '127.0.0.2', '[::1]', 'a b']) {
      const { message } = assertFailure(
        await ask(service, `GET ${callbackPath}`, `Host: ${host}`),
        'FORBIDDEN',
      )
      assert.match(String(message), /TRAWL_ALLOWED_HOSTS/)
    }
  })
})

test('every route that accepts an address checks the Host before it reads the body', async (t) => {
  const { service } = await startWithListedAddress(t)
  const withFamilies = routes.filter(({ family }) => family === 'scraper' || family === 'extract')

  const served = withFamilies.flatMap((route) =>
    pathsOf(route).map((path) => ({ method: route.method, path })),
  )
  for (const { method, path } of served) {
    const request = `${method} ${path.replaceAll(/:\w+/g, '01a1def5-68ae-7e29-9849-4f82ca93e413')}`
    assertFailure(await ask(service, request, 'Host: evil.example'), 'FORBIDDEN')
  }
})

test('X-Forwarded-Host is ignored, and two Host headers or none are refused', async (t) => {
  const { service, port } = await startWithListedAddress(t, { TRAWL_TRUST_PROXY: '127.0.0.1' })
  const ours = `Host: 127.0.0.1:${port}`
  const list = `GET ${callbackPath}`
  const forwarded = `X-Forwarded-Host: localhost:${port}`

  assertFailure(await ask(service, list, 'Host: evil.example', forwarded), 'FORBIDDEN')
  assertFailure(await ask(service, list, ours, 'Host: evil.example'), 'FORBIDDEN')
  assert.equal((await ask(service, list, ours, 'X-Forwarded-Host: evil.example')).statusCode, 200)
  const old = await sendRaw(service.url, `GET ${callbackPath} HTTP/1.0\r\n\r\n`)
  assert.equal(old.status, 403)
})

test('the public URL and TRAWL_ALLOWED_HOSTS add known hosts', async (t) => {
  const { service } = await startWithListedAddress(t, {
    TRAWL_PUBLIC_URL: 'https://trawl.example:8443/here',
    TRAWL_ALLOWED_HOSTS: 'trawl.lan, 2001:db8::1',
  })

  for (const host of ['trawl.example:8443', 'TRAWL.example', 'trawl.lan:9', '[2001:db8::1]']) {
    assert.equal((await ask(service, `GET ${callbackPath}`, `Host: ${host}`)).statusCode, 200, host)
  }
  assertFailure(await ask(service, `GET ${callbackPath}`, 'Host: a.trawl.lan'), 'FORBIDDEN')
})

test('explicit credentials and service routes work with any Host', async (t) => {
  const { service, account } = await startWithListedAddress(t)
  const { username, password, apiKey } = account
  const evil = 'Host: evil.example'
  const offers = [
    `X-Api-Key: ${apiKey}`,
    `Authorization: Bearer ${apiKey}`,
    `Authorization: ${basicOf(username, password)}`,
  ]

  for (const offer of offers) {
    assert.equal((await ask(service, `GET ${callbackPath}`, evil, offer)).statusCode, 200, offer)
  }
  for (const { path } of routes.filter((route) => route.family === 'service' && !route.params)) {
    assert.equal((await ask(service, `GET ${path}`, evil)).statusCode, 200, path)
  }
})

test('a caller whose address is on no list gets 401 whatever the Host', async (t) => {
  const service = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })

  for (const host of ['evil.example', `127.0.0.1:${new URL(service.url).port}`]) {
    const answer = await ask(service, `POST ${realtimePath}`, `Host: ${host}`, 'Content-Length: 0')
    assertFailure(answer, 'UNAUTHORIZED')
  }
})
