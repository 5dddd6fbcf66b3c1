import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changePassword,
  createAccount as createNamedAccount,
  enableAccount,
  getAccount,
} from '../../src/accounts/accounts.ts'
import { createKey, revokeKey } from '../../src/accounts/api-keys.ts'
import type { Failure } from '../../src/domain/failure.ts'
import { listApiKeys } from '../../src/storage/tables/api-keys.ts'
import { type ApiResponse, basicOf, callApi } from '../support/call-api.ts'
import { assertFailure, assertTextFailure, withoutCorrelationId } from '../support/error-bodies.ts'
import { sendRaw } from '../support/raw-http.ts'
import { onBothStores } from '../support/test-service.ts'

const byKey = 'GET /v1/webhooks'
const byPassword = 'GET /api/configuration/active/whitelisted-ips'

const malformed = [
  'Basic',
  'Basic ',
  'Basic !!!',
  `Basic ${btoa('no-colon')}`,
  `Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString('base64')}`,
  `Basic ${btoa('a\0b:password')}`,
  `Basic ${btoa(':')}`,
  'Digest username="admin"',
  'Bearer',
  'Bearer x',
  'nonsense',
]

const operatorKeys = [
  'sixteen letters.',
  // Looks like a generated key but has a wrong checksum.
  `trawl_${'A'.repeat(49)}`,
  'schlüssel-schlüssel',
  'κλειδί-κλειδί-κλειδί',
]

onBothStores((kind, start) => {
  test(`${kind}: authenticating with credentials`, async (t) => {
    const { url, createAccount, openBeside } = await start(t)
    const [ada, bob] = [await createAccount(), await createAccount()]
    const store = await openBeside()
    const ask = (request: string, headers: Record<string, string> = {}): Promise<ApiResponse> =>
      callApi(url, request, { headers })
    const status = async (request: string, headers: Record<string, string>) =>
      (await ask(request, headers)).statusCode

    await t.test(
      'missing, malformed, unknown, wrong and disabled credentials get the same 401',
      async () => {
        const gone = await createAccount()
        await enableAccount(store.db, gone.username, false)
        const offers: Record<string, string>[] = [
          {},
          ...malformed.map((authorization) => ({ authorization })),
          { authorization: basicOf('nobody', ada.password) },
          { authorization: basicOf(ada.username, `${ada.password}x`) },
          { authorization: basicOf(ada.username, '') },
          { authorization: basicOf(gone.username, gone.password) },
          { authorization: `Bearer ${gone.apiKey}` },
          { 'x-api-key': gone.apiKey },
          { 'x-api-key': '' },
          { 'x-api-key': `${ada.apiKey}x` },
          { 'x-api-key': ada.apiKey.slice(0, -1) },
          { 'x-api-key': `${ada.apiKey}, ${ada.apiKey}` },
        ]

        const missing = await ask(byKey)
        const missingPassword = await ask(byPassword)

        for (const offer of offers) {
          const answer = await ask(byKey, offer)
          const text = await ask(byPassword, offer)
          assertFailure(answer, 'UNAUTHORIZED')
          assertTextFailure(text, 'UNAUTHORIZED')
          assert.deepEqual(withoutCorrelationId(answer), withoutCorrelationId(missing))
          assert.deepEqual(withoutCorrelationId(text), withoutCorrelationId(missingPassword))
          for (const { headers } of [answer, text]) {
            assert.equal(headers['www-authenticate'], 'Basic realm="Trawl", charset="UTF-8"')
          }
        }
      },
    )

    await t.test(
      'an API key works as X-Api-Key and as Bearer, username and password work everywhere',
      async () => {
        const basic = { authorization: basicOf(ada.username, ada.password) }

        assert.equal(await status(byKey, { 'x-api-key': ada.apiKey }), 200)
        assert.equal(await status(byKey, { authorization: `Bearer ${ada.apiKey}` }), 200)
        assert.equal(await status(byKey, { authorization: `bearer  ${ada.apiKey}` }), 200)
        assert.equal(await status(byKey, basic), 200)
        assert.equal(await status(byPassword, basic), 200)
        assert.equal(
          await status(byPassword, {
            authorization: basic.authorization.replace('Basic', 'bAsIC'),
          }),
          200,
        )
      },
    )

    await t.test('a route that takes no API keys ignores any API key', async () => {
      const basic = { authorization: basicOf(ada.username, ada.password) }

      assert.equal(await status(byPassword, { 'x-api-key': ada.apiKey }), 401)
      assert.equal(await status(byPassword, { authorization: `Bearer ${ada.apiKey}` }), 401)
      for (const key of [ada.apiKey, bob.apiKey, 'wrong']) {
        assert.equal(await status(byPassword, { ...basic, 'x-api-key': key }), 200)
      }
    })

    await t.test('two credentials are accepted only if both name one account', async () => {
      const basic = { authorization: basicOf(ada.username, ada.password) }
      const wrongBasic = { authorization: basicOf(ada.username, 'wrong') }
      const another = await createKey(store.db, (await getAccount(store.db, ada.username)).id)

      assert.equal(await status(byKey, { ...basic, 'x-api-key': ada.apiKey }), 200)
      assert.equal(await status(byKey, { ...basic, 'x-api-key': another.key }), 200)
      assert.equal(await status(byKey, { ...basic, 'x-api-key': bob.apiKey }), 401)
      assert.equal(await status(byKey, { ...basic, 'x-api-key': 'wrong' }), 401)
      assert.equal(await status(byKey, { ...wrongBasic, 'x-api-key': ada.apiKey }), 401)
      const keys = { authorization: `Bearer ${bob.apiKey}`, 'x-api-key': ada.apiKey }
      assert.equal(await status(byKey, keys), 401)
    })

    await t.test(
      'usernames and passwords are compared byte by byte: case, colons and Unicode form count',
      async () => {
        const password = ' pä:ss:wörd 🐟 '
        await createNamedAccount(store, { username: 'Zoë', password })

        const tried = async (username: string, given: string) =>
          await status(byPassword, { authorization: basicOf(username, given) })

        assert.equal(await tried('Zoë', password), 200)
        assert.equal(await tried('zoë', password), 401)
        assert.equal(await tried('Zoë', password.trim()), 401)
        assert.equal(await tried('Zoë', password.normalize('NFD')), 401)
        assert.equal(await tried('Zoë'.normalize('NFD'), password), 401)
      },
    )

    await t.test(
      'credentials are checked before the content type, and that before the body',
      async () => {
        const wrong = { 'x-api-key': 'wrong' }
        const right = { 'x-api-key': ada.apiKey }
        const broken = (headers: Record<string, string>) =>
          callApi(url, 'POST /v1/webhooks', { headers, body: '{"url":' })

        assertFailure(await broken(wrong), 'UNAUTHORIZED')
        assertFailure(await broken({ ...wrong, 'content-type': 'text/plain' }), 'UNAUTHORIZED')
        assertFailure(
          await broken({ ...right, 'content-type': 'text/plain' }),
          'UNSUPPORTED_MEDIA_TYPE',
        )
        assertFailure(await broken(right), 'VALIDATION_ERROR')
        assertFailure(await ask('GET /v1/webhooks/x', wrong), 'UNAUTHORIZED')
      },
    )

    await t.test(
      'many concurrent requests with the right password are never rate limited',
      async () => {
        const { username, password } = await createAccount()
        const headers = { authorization: basicOf(username, password) }

        const answers = await Promise.all(Array.from({ length: 60 }, () => status(byKey, headers)))

        assert.deepEqual([...new Set(answers)], [200])
      },
    )

    await t.test(
      'a username that is taken or that is not valid in HTTP creates no account',
      async () => {
        const refusal = (username: string) =>
          createNamedAccount(store, { username }).then(
            () => undefined,
            (failure: Failure) => failure.code,
          )

        assert.equal(await refusal(ada.username), 'CONFLICT')
        for (const name of ['', 'a:b', 'a\0b', 'a\nb', 'x'.repeat(256)]) {
          assert.equal(await refusal(name), 'VALIDATION_ERROR')
        }
      },
    )

    await t.test('the operator can choose any API key of 16 characters', async () => {
      const lines = ['GET /v1/webhooks HTTP/1.1', 'host: x', 'connection: close']

      for (const [index, apiKey] of operatorKeys.entries()) {
        await createNamedAccount(store, { username: `operator-${index}`, apiKey })
        const head = [...lines, `x-api-key: ${apiKey}`].join('\r\n')
        assert.equal((await sendRaw(url, `${head}\r\n\r\n`)).status, 200, apiKey)
      }
    })

    await t.test('new accounts, keys and passwords work at once', async () => {
      const made = await createAccount()
      const { id } = await getAccount(store.db, made.username)
      const asBefore = { authorization: basicOf(made.username, made.password) }
      assert.equal(await status(byKey, { 'x-api-key': made.apiKey }), 200)
      assert.equal(await status(byKey, asBefore), 200)

      const { key } = await createKey(store.db, id)
      const password = await changePassword(store.db, made.username)

      assert.equal(await status(byKey, { 'x-api-key': key }), 200)
      assert.equal(await status(byKey, { authorization: basicOf(made.username, password) }), 200)
    })

    await t.test('revoked or disabled credentials stop within 3 s', async () => {
      const [revoked, disabled, changed] = [
        await createAccount(),
        await createAccount(),
        await createAccount(),
      ]
      const headersOf = { 'x-api-key': disabled.apiKey }
      const offers = [
        { 'x-api-key': revoked.apiKey },
        headersOf,
        { authorization: basicOf(disabled.username, disabled.password) },
        { authorization: basicOf(changed.username, changed.password) },
      ]
      for (const offer of offers) assert.equal(await status(byKey, offer), 200)
      const { id: accountId } = await getAccount(store.db, revoked.username)
      const [key] = await store.db.run(listApiKeys(accountId))

      await revokeKey(store.db, { accountId, id: key?.id ?? '' })
      await enableAccount(store.db, disabled.username, false)
      await changePassword(store.db, changed.username)

      const elapsedMs = performance.now.bind(performance)
      t.mock.method(performance, 'now', () => elapsedMs() + 3_000)
      for (const offer of offers) assert.equal(await status(byKey, offer), 401)
      await enableAccount(store.db, disabled.username, true)
      assert.equal(await status(byKey, headersOf), 200)
      assert.equal(await status(byKey, offers[2] ?? {}), 200)
    })
  })
})
