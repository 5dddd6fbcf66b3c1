import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'

const path = '/v1/webhooks'
const good = { url: 'https://hooks.example/in?x=1', event_type: 'extract_completed' }

const badBodies: [body: unknown, ...faults: string[]][] = [
  [undefined, 'body missing'],
  ['[1,', 'body json_invalid'],
  ['{"a" 1}', 'body.5 json_invalid'],
  [[], 'body dict_type'],
  [null, 'body dict_type'],
  [{}, 'body.url missing', 'body.event_type missing'],
  [{ ...good, url: 1, event_type: 2 }, 'body.url string_type', 'body.event_type literal_error'],
  [{ ...good, url: null }, 'body.url string_type'],
  [{ ...good, url: '' }, 'body.url url_parsing'],
  [{ ...good, url: '/in' }, 'body.url url_parsing'],
  [{ ...good, url: 'hooks.example/in' }, 'body.url url_parsing'],
  [{ ...good, url: 'ftp://hooks.example/' }, 'body.url url_parsing'],
  [{ ...good, url: 'javascript:alert(1)' }, 'body.url url_parsing'],
  [{ ...good, url: `http://${'漢字'.repeat(500)}/` }, 'body.url url_parsing'],
  [{ ...good, url: 'http://' }, 'body.url url_parsing'],
  [{ ...good, url: 'https://hooks.example/a\0b' }, 'body.url string_unicode'],
  [{ ...good, url: `https://hooks.example/${'x'.repeat(2027)}` }, 'body.url string_too_long'],
  [{ ...good, event_type: 'page_completed' }, 'body.event_type literal_error'],
  [{ ...good, event_type: ['extract_completed'] }, 'body.event_type literal_error'],
  [{ ...good, description: 1 }, 'body.description string_type'],
  [{ ...good, description: 'x'.repeat(256) }, 'body.description string_too_long'],
  [{ ...good, description: 'a\0b' }, 'body.description string_unicode'],
]

const forbiddenUrls = [
  'http://10.0.0.1/',
  'http://192.168.1.1:8080/',
  'http://169.254.169.254/latest/meta-data',
  'http://[fd00:ec2::254]/',
  'http://[::ffff:10.0.0.1]/',
  'http://0x0a000001/',
  'http://2130706433:22/',
  'http://127.0.0.1:22/',
  'http://printer/',
  'http://vault.internal/',
  'https://user:password@hooks.example/',
]

onBothStores((kind, start) => {
  test(`${kind}: creating a webhook`, async (t) => {
    const { url, createAccount } = await start(t)

    await t.test('creating a webhook gets 201 with the webhook and its secret', async () => {
      const account = await createAccount()
      const beforeMs = Date.now()

      const answer = await account.call(`POST ${path}`, { ...good, description: 'orders' })
      const { id, secret, created_at, updated_at, ...rest } = answer.json()

      assert.equal(answer.statusCode, 201)
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.deepEqual(rest, { ...good, description: 'orders', is_active: true })
      assert.equal(created_at, updated_at)
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.ok(Math.abs(Date.parse(created_at) - beforeMs) < 60_000)
    })

    await t.test(
      'a webhook can have every event type, and two webhooks can differ in the secret alone',
      async () => {
        const account = await createAccount()
        const secrets = new Set<string>()

        for (const event_type of ['extract_completed', 'batch_completed', 'crawl_completed']) {
          for (const _twice of [1, 2]) {
            const answer = await account.call(`POST ${path}`, { ...good, event_type })
            assert.equal(answer.statusCode, 201)
            assert.equal(answer.json().event_type, event_type)
            secrets.add(answer.json().secret)
          }
        }

        assert.equal(secrets.size, 6)
      },
    )

    await t.test('a missing or null description is stored as an empty one', async () => {
      const account = await createAccount()

      for (const description of [undefined, null, '']) {
        const answer = await account.call(`POST ${path}`, { ...good, description })
        assert.equal(answer.statusCode, 201)
        assert.equal(answer.json().description, '')
      }
    })

    await t.test(
      'unknown keys and is_active are both ignored when a webhook is created',
      async () => {
        const account = await createAccount()

        const answer = await account.call(`POST ${path}`, {
          ...good,
          id: 'mine',
          secret: 'whsec_mine',
          is_active: false,
          account_id: 'other',
          ['__proto__']: { is_active: false },
        })

        assert.equal(answer.statusCode, 201)
        assert.notEqual(answer.json().id, 'mine')
        assert.notEqual(answer.json().secret, 'whsec_mine')
        assert.equal(answer.json().is_active, true)
      },
    )

    await t.test(
      'the longest URL and description are accepted, and so are loopback URLs by default',
      async () => {
        const account = await createAccount()
        const longest = `https://hooks.example/${'x'.repeat(2026)}`
        const description = '🐟'.repeat(255)

        const long = await account.call(`POST ${path}`, { ...good, url: longest, description })
        const local = await account.call(`POST ${path}`, {
          ...good,
          url: 'http://localhost:9999/in',
        })
        const loopback = await account.call(`POST ${path}`, {
          ...good,
          url: 'http://[::1]:9999/in',
        })

        assert.equal(longest.length, 2048)
        assert.equal(long.statusCode, 201)
        assert.equal(long.json().url, longest)
        assert.equal(long.json().description, description)
        assert.equal(local.statusCode, 201)
        assert.equal(loopback.statusCode, 201)
      },
    )

    await t.test('invalid input gets 422 that names every error and repeats no input', async () => {
      const account = await createAccount()

      for (const [body, ...faults] of badBodies) {
        const answer = await account.call(`POST ${path}`, body === null ? 'null' : body)
        assert.deepEqual(faultsIn(answer), faults, JSON.stringify(body))
      }
      const secretive = await account.call(`POST ${path}`, { ...good, url: 'canary' })
      assert.doesNotMatch(secretive.text, /canary/)
      assert.deepEqual((await account.call(`GET ${path}`)).json().items, [])
    })

    await t.test('a URL that the egress guard refuses without DNS gets 422', async () => {
      const account = await createAccount()

      for (const forbidden of forbiddenUrls) {
        const answer = await account.call(`POST ${path}`, { ...good, url: forbidden })
        assert.equal(answer.statusCode, 422, forbidden)
        assertFailure(answer, 'URL_NOT_ALLOWED')
      }
      assert.deepEqual((await account.call(`GET ${path}`)).json().items, [])
    })

    await t.test('creating without credentials gets 401 before the body is read', async () => {
      const answer = await callApi(url, `POST ${path}`, { body: '{' })

      assertFailure(answer, 'UNAUTHORIZED')
    })

    await t.test('the eleventh webhook of an account gets 409 until one is deleted', async () => {
      const account = await createAccount()
      const ids: string[] = []
      for (let count = 0; count < 10; count++) {
        ids.push((await account.call(`POST ${path}`, good)).json().id)
      }

      const eleventh = await account.call(`POST ${path}`, good)
      await account.call(`DELETE ${path}/${ids[0]}`)
      const instead = await account.call(`POST ${path}`, good)

      assertFailure(eleventh, 'CONFLICT')
      assert.equal(instead.statusCode, 201)
      assert.equal((await account.call(`GET ${path}`)).json().items.length, 10)
    })

    await t.test('20 concurrent creations end with exactly ten webhooks', async () => {
      const account = await createAccount()

      const answers = await Promise.all(
        Array.from({ length: 20 }, () => account.call(`POST ${path}`, good)),
      )

      const statuses = answers.map(({ statusCode }) => statusCode).sort()
      assert.deepEqual(statuses, [...Array(10).fill(201), ...Array(10).fill(409)])
      assert.equal((await account.call(`GET ${path}`)).json().items.length, 10)
    })

    await t.test('a body that is too large gets 413, one of another content type 415', async () => {
      const { apiKey, call } = await createAccount()

      const large = await call(`POST ${path}`, ' '.repeat(300_000))
      const form = await callApi(url, `POST ${path}`, {
        headers: { 'x-api-key': apiKey, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'url=https://hooks.example',
      })

      assertFailure(large, 'PAYLOAD_TOO_LARGE')
      assertFailure(form, 'UNSUPPORTED_MEDIA_TYPE')
    })
  })

  test(`${kind}: with TRAWL_EGRESS_ALLOW set, webhooks may no longer use loopback by default`, async (t) => {
    const environment = { TRAWL_EGRESS_ALLOW: 'callback=10.1.0.0/16,target=10.2.0.0/16' }
    const { createAccount } = await start(t, { environment })
    const account = await createAccount()
    const create = (url: string) => account.call(`POST ${path}`, { ...good, url })

    assertFailure(await create('http://127.0.0.1:9999/'), 'URL_NOT_ALLOWED')
    assertFailure(await create('http://localhost:9999/'), 'URL_NOT_ALLOWED')
    assertFailure(await create('http://10.2.0.1/'), 'URL_NOT_ALLOWED')
    assert.equal((await create('http://10.1.0.1/')).statusCode, 201)
  })
})
