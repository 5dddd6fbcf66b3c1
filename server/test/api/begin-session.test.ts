import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changePassword, enableAccount, getAccount } from '../../src/accounts/accounts.ts'
import { revokeKey } from '../../src/accounts/api-keys.ts'
import { sql } from '../../src/storage/statement.ts'
import { listApiKeys } from '../../src/storage/tables/api-keys.ts'
import { type ApiResponse, callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { onBothStores, startTestService, type TestAccount } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const sessionPath = '/v1/session'
const byPassword = 'GET /api/configuration/active/whitelisted-ips'
const byKey = 'GET /v1/webhooks'

const signIn = (url: string, body: unknown, headers?: Record<string, string>) =>
  callApi(url, `POST ${sessionPath}`, { body, headers })

/** What a browser sends back. */
const cookieOf = ({ headers }: ApiResponse): string =>
  headers['set-cookie']?.split(';')[0] ?? assert.fail('no cookie')

const withPassword = ({ username, password }: TestAccount) => ({ username, password })
const withKey = ({ apiKey }: TestAccount) => ({ api_key: apiKey })

onBothStores((kind, start) => {
  test(`${kind}: signing in`, async (t) => {
    const { url, createAccount, openBeside } = await start(t)
    const [ada, bob] = [await createAccount(), await createAccount()]
    const { db } = await openBeside()
    const status = async (request: string, headers: Record<string, string>) =>
      (await callApi(url, request, { headers })).statusCode

    await t.test('a session begun with the password opens every family', async () => {
      const answer = await signIn(url, withPassword(ada))

      assert.equal(answer.statusCode, 204)
      assert.match(
        answer.headers['set-cookie'] ?? '',
        /^trawl_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/,
      )
      const cookie = cookieOf(answer)
      assert.equal(await status(byPassword, { cookie }), 200)
      assert.equal(await status(byKey, { cookie: `theme=dark; ${cookie}` }), 200)
    })

    await t.test('a session begun with an API key opens what the key opens', async () => {
      const cookie = cookieOf(await signIn(url, withKey(ada)))

      assert.equal(await status(byKey, { cookie }), 200)
      assert.equal(await status(byPassword, { cookie }), 401)
    })

    await t.test('wrong credentials begin no session', async () => {
      for (const body of [
        { username: ada.username, password: bob.password },
        { username: 'nobody', password: 'something long' },
        { api_key: `${ada.apiKey}x` },
      ]) {
        const answer = await signIn(url, body)
        assertFailure(answer, 'UNAUTHORIZED')
        assert.equal(answer.headers['set-cookie'], undefined)
      }
      for (const body of [{}, { username: ada.username }, { api_key: '' }, { api_key: 'a\0b' }]) {
        assertFailure(await signIn(url, body), 'VALIDATION_ERROR')
      }
    })

    await t.test('explicit credentials win over the cookie', async () => {
      const cookie = cookieOf(await signIn(url, withPassword(ada)))
      const nameWith = async (headers: Record<string, string>) =>
        (await callApi(url, `GET ${sessionPath}`, { headers })).json().username

      assert.equal(await nameWith({ cookie }), ada.username)
      assert.equal(await nameWith({ cookie, 'x-api-key': bob.apiKey }), bob.username)
      assert.equal(await status(byKey, { cookie, 'x-api-key': 'wrong' }), 401)
      assert.equal(await status(byPassword, { cookie, 'x-api-key': bob.apiKey }), 200)
    })

    await t.test('two session cookies, and tokens that we never made, open nothing', async () => {
      const cookie = cookieOf(await signIn(url, withPassword(ada)))
      const another = cookieOf(await signIn(url, withPassword(bob)))

      for (const sent of [
        `${cookie}; ${another}`,
        `trawl_session=${'A'.repeat(43)}`,
        'trawl_session=',
        `x${cookie}`,
      ]) {
        assert.equal(await status(byKey, { cookie: sent }), 401, sent)
      }
    })

    await t.test('a session ends with the password or the key that it was begun with', async () => {
      const carol = await createAccount()
      const { id } = await getAccount(db, carol.username)
      const cookies = {
        password: cookieOf(await signIn(url, withPassword(carol))),
        key: cookieOf(await signIn(url, withKey(carol))),
      }

      await changePassword(db, carol.username)
      await until(async () => (await status(byKey, { cookie: cookies.password })) === 401)
      assert.equal(await status(byKey, { cookie: cookies.key }), 200)

      const [key] = await db.run(listApiKeys(id))
      await revokeKey(db, { accountId: id, id: key?.id ?? '' })
      await until(async () => (await status(byKey, { cookie: cookies.key })) === 401)
    })

    await t.test(
      'the old password, while it is still remembered, begins nothing that lasts',
      async () => {
        const fred = await createAccount()
        assert.equal((await signIn(url, withPassword(fred))).statusCode, 204)

        await changePassword(db, fred.username)
        const answer = await signIn(url, withPassword(fred))

        if (answer.statusCode === 204)
          assert.equal(await status(byKey, { cookie: cookieOf(answer) }), 401)
        else assertFailure(answer, 'UNAUTHORIZED')
      },
    )

    await t.test('a disabled account has no session', async () => {
      const dave = await createAccount()
      const cookie = cookieOf(await signIn(url, withPassword(dave)))

      await enableAccount(db, dave.username, false)

      await until(async () => (await status(byKey, { cookie })) === 401)
    })

    await t.test('a session ends after 12 hours without use and after 7 days', async () => {
      const erin = await createAccount()
      const { id } = await getAccount(db, erin.username)
      const hoursAgo = (hours: number) => db.nowMs() - hours * 3_600_000
      const age = async (beganHoursAgo: number, usedHoursAgo: number) => {
        const cookie = cookieOf(await signIn(url, withPassword(erin)))
        await db.run(sql`
          update sign_ins
          set created_at_ms = ${hoursAgo(beganHoursAgo)}, last_used_at_ms = ${hoursAgo(usedHoursAgo)}
          where account_id = ${id}`)
        return await status(byKey, { cookie })
      }

      assert.equal(await age(7 * 24 - 1, 11), 200)
      assert.equal(await age(13, 12.1), 401)
      assert.equal(await age(7 * 24 + 1, 0), 401)
    })

    await t.test('the store has no token', async () => {
      const cookie = cookieOf(await signIn(url, withPassword(ada)))

      const rows = await db.run(sql`select * from sign_ins`)

      assert.ok(rows.length > 0)
      assert.ok(!JSON.stringify(rows).includes(cookie.slice('trawl_session='.length)))
    })
  })
})

test('beyond 100 sessions begun with a key the one unused for the longest time ends, and no other kind', async (t) => {
  const { url, createAccount } = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const account = await createAccount()
  const withOther = cookieOf(await signIn(url, withPassword(account)))
  const first = cookieOf(await signIn(url, withKey(account)))
  let last = first
  for (let count = 0; count < 100; count++) last = cookieOf(await signIn(url, withKey(account)))
  const status = async (cookie: string) =>
    (await callApi(url, byKey, { headers: { cookie } })).statusCode

  const statuses = [await status(first), await status(last), await status(withOther)]
  assert.deepEqual(statuses, [401, 200, 200])
})

test('behind https the cookie is Secure, and a script gets no password dialog of the browser', async (t) => {
  const environment = { TRAWL_ROLES: 'api', TRAWL_PUBLIC_URL: 'https://trawl.example' }
  const { url, createAccount } = await startTestService(t, { environment })

  const answer = await signIn(url, withKey(await createAccount()))
  const script = await callApi(url, byKey, { headers: { 'sec-fetch-dest': 'empty' } })
  const visitor = await callApi(url, byKey, { headers: { 'sec-fetch-dest': 'document' } })

  assert.match(answer.headers['set-cookie'] ?? '', /; Secure$/)
  assert.equal(script.headers['www-authenticate'], undefined)
  assert.ok(visitor.headers['www-authenticate'])
})

test('a page of another site changes nothing with the cookie of a session (CSRF)', async (t) => {
  const { url, createAccount } = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const account = await createAccount()
  const cookie = cookieOf(await signIn(url, withPassword(account)))
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'http://evil.example' },
  ]

  for (const headers of foreign) {
    assertFailure(await signIn(url, withPassword(account), headers), 'FORBIDDEN')
    for (const request of [`DELETE ${sessionPath}`, 'POST /v1/batch']) {
      const sent = { ...headers, cookie }
      assertFailure(await callApi(url, request, { headers: sent, body: {} }), 'FORBIDDEN')
    }
  }
  assert.equal((await callApi(url, byKey, { headers: { cookie } })).statusCode, 200)
})
