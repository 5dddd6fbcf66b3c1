/** What errors say about credentials and addresses, which only the client knows. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { respondFailure, startScriptedService } from '../../server/test/support/scripted-service.ts'
import { AuthError, NotFoundError, Trawl, type TrawlOptions } from '../src/index.ts'

const variables = ['TRAWL_API_KEY', 'TRAWL_USERNAME', 'TRAWL_PASSWORD'] as const

async function refusedClient(
  t: TestContext,
  options: TrawlOptions,
  environment: Partial<Record<(typeof variables)[number], string>> = {},
): Promise<Trawl> {
  const { url } = await startScriptedService(t, (_call, response) =>
    respondFailure(response, 401, 'UNAUTHORIZED'),
  )
  for (const name of variables) {
    const before = process.env[name]
    t.after(() => setVariable(name, before))
    setVariable(name, environment[name])
  }
  return new Trawl({ baseUrl: url, ...options })
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

const says = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AuthError)
  assert.match(error.message, pattern)
  assert.doesNotMatch(error.message, /secret/)
  return true
}

test('a client without a key says how to give one', async (t) => {
  const trawl = await refusedClient(t, {})

  await assert.rejects(trawl.getStatistics(), says(/^Words\. Give apiKey, or set TRAWL_API_KEY\.$/))
})

test('a refused key is named by where it is from', async (t) => {
  const environment = { TRAWL_API_KEY: 'secret' }

  const given = await refusedClient(t, { apiKey: 'secret' })
  await assert.rejects(given.getStatistics(), says(/^Words\. apiKey was refused\.$/))
  const found = await refusedClient(t, {}, environment)
  await assert.rejects(found.getStatistics(), says(/TRAWL_API_KEY was refused\.$/))
})

test('a refused password is named by where it is from', async (t) => {
  const given = await refusedClient(t, { username: 'ada', password: 'secret' })
  await assert.rejects(given.keys.list(), says(/password was refused\.$/))
  const found = await refusedClient(t, {}, { TRAWL_PASSWORD: 'secret' })
  await assert.rejects(found.getStatistics(), says(/TRAWL_PASSWORD was refused\.$/))
})

test('a client with a key alone is told what takes the password', async (t) => {
  const trawl = await refusedClient(t, { apiKey: 'secret' })

  await assert.rejects(
    trawl.keys.list(),
    says(/^Words\. Keys do not open this: give username and password, or set TRAWL_PASSWORD\.$/),
  )
})

test('a refused sign-in says nothing about the key of the client', async (t) => {
  const trawl = await refusedClient(t, {})

  await assert.rejects(trawl.session.begin({ api_key: 'secret' }), says(/^Words\.$/))
})

test('a server that is not Trawl is named, and its page is not shown', async (t) => {
  const { url } = await startScriptedService(t, (_call, response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
  )

  await assert.rejects(new Trawl({ baseUrl: url, apiKey: 'x' }).getStatistics(), (error) => {
    assert.ok(error instanceof NotFoundError)
    assert.equal(
      error.message,
      `${url} responded 404, but not as Trawl does. Is it the URL of the service?`,
    )
    return true
  })
})
