import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changePassword, enableAccount } from '../../src/accounts/accounts.ts'
import { createSignInLink } from '../../src/accounts/sign-in-links.ts'
import { sql } from '../../src/storage/statement.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startTestService } from '../support/test-service.ts'
import { storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'

for (const kind of storeKinds) {
  test(`${kind}: signing in with a link`, async (t) => {
    const service = await startTestService(t, { kind, environment: { TRAWL_ROLES: 'api' } })
    const { url, createAccount } = service
    const { db } = await service.openBeside()
    const ada = await createAccount()
    const tokenFor = async (username: string) => {
      const link = await createSignInLink(db, { username, origin: `${url}/` })
      assert.ok(link.url.startsWith(`${url}/#sign-in=`))
      return link.url.slice(`${url}/#sign-in=`.length)
    }
    const signIn = (token: string) =>
      callApi(url, 'POST /v1/session', { body: { link_token: token } })
    const read = (request: string, cookie = '') => callApi(url, request, { headers: { cookie } })

    await t.test('a link opens what the password opens, once', async () => {
      const token = await tokenFor(ada.username)

      const answer = await signIn(token)

      assert.equal(answer.statusCode, 204)
      const cookie = answer.headers['set-cookie']?.split(';')[0]
      const session = (await read('GET /v1/session', cookie)).json()
      assert.deepEqual([session.username, session.opens_access], [ada.username, true])
      assert.equal((await read('GET /v1/keys', cookie)).statusCode, 200)
      assertFailure(await signIn(token), 'UNAUTHORIZED')
    })

    await t.test('of many who use a link at once, one is signed in', async () => {
      const token = await tokenFor(ada.username)

      const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(token)))

      const statuses = answers.map(({ statusCode }) => statusCode).sort()
      assert.deepEqual(statuses, [204, 401, 401, 401, 401, 401, 401, 401])
    })

    await t.test('a link that expired, or that nobody made, signs nobody in', async () => {
      const token = await tokenFor(ada.username)
      // Clocks that follow the store's differ by what they measured of the way to it.
      await db.run(sql`update sign_in_links set expires_at_ms = ${db.nowMs() - 60_000}`)

      assertFailure(await signIn(token), 'UNAUTHORIZED')
      assertFailure(await signIn('A'.repeat(43)), 'UNAUTHORIZED')
      assertFailure(await signIn(''), 'VALIDATION_ERROR')
    })

    await t.test('a new password ends the link, and the session that it began', async () => {
      const bob = await createAccount()
      const [used, unused] = [await tokenFor(bob.username), await tokenFor(bob.username)]
      const cookie = (await signIn(used)).headers['set-cookie']?.split(';')[0]

      await changePassword(db, bob.username)

      assertFailure(await signIn(unused), 'UNAUTHORIZED')
      await until(async () => (await read('GET /v1/session', cookie)).statusCode === 401)
    })

    await t.test('a disabled account gets no link, and its old ones open nothing', async () => {
      const carol = await createAccount()
      const token = await tokenFor(carol.username)

      await enableAccount(db, carol.username, false)

      assertFailure(await signIn(token), 'UNAUTHORIZED')
      await assert.rejects(tokenFor(carol.username), { code: 'NOT_FOUND' })
    })

    await t.test('the store has no token of a link', async () => {
      const token = await tokenFor(ada.username)

      const rows = await db.run(sql`select * from sign_in_links`)

      assert.ok(rows.length > 0)
      assert.ok(!JSON.stringify(rows).includes(token))
    })
  })
}
