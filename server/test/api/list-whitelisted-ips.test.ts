import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { callApi } from '../support/call-api.ts'
import { assertTextFailure } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'

const path = '/api/configuration/active/whitelisted-ips'

onBothStores((kind, start) => {
  test(`${kind}: listing whitelisted addresses`, async (t) => {
    const { url, createAccount, openBeside } = await start(t)

    await t.test('a new account has an empty whitelist', async () => {
      const account = await createAccount()

      const answer = await account.call(`GET ${path}`)

      assert.equal(answer.statusCode, 200)
      assert.deepEqual(answer.json(), { data: [] })
    })

    await t.test('the whole whitelist is returned, oldest first, with entry ids', async () => {
      const account = await createAccount()
      await account.call(`POST ${path}`, { ips: [{ ip: '203.0.113.9', description: 'office' }] })
      await account.call(`POST ${path}`, { ips: [{ ip: '2001:db8::1' }, { ip: '10.1.0.0/16' }] })

      const { data } = (await account.call(`GET ${path}`)).json()

      assert.deepEqual(
        data.map(({ _id, ...entry }: Record<string, string>) => entry),
        [
          { ip: '203.0.113.9', description: 'office' },
          { ip: '2001:db8::1', description: '' },
          { ip: '10.1.0.0/16', description: '' },
        ],
      )
      for (const { _id } of data) assert.match(_id, /^[0-9a-f]{24}$/)
      assert.equal(new Set(data.map(({ _id }: { _id: string }) => _id)).size, 3)
    })

    await t.test('HEAD responds like GET, and the query is ignored', async () => {
      const account = await createAccount()

      const head = await account.call(`HEAD ${path}?page=x`)

      assert.equal(head.statusCode, 200)
      assert.equal(head.text, '')
    })

    await t.test('listing whitelisted addresses without credentials gets 401', async () => {
      const answer = await callApi(url, `GET ${path}`)

      assertTextFailure(answer, 'UNAUTHORIZED')
      assert.equal(answer.headers['www-authenticate'], 'Basic realm="Trawl", charset="UTF-8"')
    })

    await t.test('a wrong method gets 405 with the body of the whitelist routes', async () => {
      const account = await createAccount()

      const answer = await account.call(`PATCH ${path}`, {})

      assertTextFailure(answer, 'METHOD_NOT_ALLOWED')
      assert.equal(answer.headers['allow'], 'DELETE, GET, HEAD, POST, PUT')
    })

    await t.test('an unexpected error in the whitelist is a 500 without details', async () => {
      const account = await createAccount()
      const { db } = await openBeside()

      await db.run(sql`alter table whitelisted_ips rename to elsewhere`)
      const answer = await account.call(`GET ${path}`)
      await db.run(sql`alter table elsewhere rename to whitelisted_ips`)

      const { message } = assertTextFailure(answer, 'INTERNAL_ERROR')
      assert.doesNotMatch(String(message), /whitelisted|table|relation|SQL/)
    })

    await t.test('the 101st whitelist request of an account in a minute gets 429', async () => {
      const [account, other] = [await createAccount(), await createAccount()]
      const first = await account.call(`GET ${path}`)
      const rest = await Promise.all(
        Array.from({ length: 99 }, () => account.call(`POST ${path}`, '{"ips":')),
      )

      const refused = await account.call(`GET ${path}`)

      assert.equal(first.headers['ratelimit-policy'], '"whitelisted-ips";q=100;w=60')
      assert.match(String(first.headers['ratelimit']), /^"whitelisted-ips";r=99;t=\d+$/)
      assert.ok(rest.every(({ statusCode }) => statusCode === 400))
      assertTextFailure(refused, 'RATE_LIMITED')
      assert.match(String(refused.headers['ratelimit']), /^"whitelisted-ips";r=0;t=\d+$/)
      const waitSeconds = Number(refused.headers['retry-after'])
      assert.ok(waitSeconds >= 1 && waitSeconds <= 60, `${waitSeconds}`)
      assert.equal((await other.call(`GET ${path}`)).statusCode, 200)
      assert.equal((await account.call('GET /v1/webhooks')).statusCode, 200)
    })
  })
})
