import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { getAccount } from '../../src/accounts/accounts.ts'
import { createWhitelist } from '../../src/accounts/whitelist.ts'
import { callApi } from '../support/call-api.ts'
import { assertTextFailure } from '../support/error-bodies.ts'
import { spellingsOf } from '../support/ip-spellings.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'

const path = '/api/configuration/active/whitelisted-ips'

const ipsOf = async (account: TestAccount): Promise<string[]> =>
  (await account.call(`GET ${path}`)).json().data.map(({ ip }: { ip: string }) => ip)

const entries = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ ip: `10.0.${from + index}.1` }))

/** Adds ten at a time, the most that one request may have. */
async function fillTo(account: TestAccount, count: number): Promise<void> {
  for (let from = 0; from < count; from += 10) {
    const answer = await account.call(`POST ${path}`, {
      ips: entries(Math.min(10, count - from), from),
    })
    assert.equal(answer.statusCode, 200, answer.text)
  }
}

const badBodies: [name: string, body: unknown][] = [
  ['no body', undefined],
  ['broken JSON', '{"ips":'],
  ['a list', []],
  ['no ips', {}],
  ['ips that are null', { ips: null }],
  ['ips that are no list', { ips: { ip: '192.0.2.1' } }],
  ['no address', { ips: [] }],
  ['eleven addresses', { ips: entries(11) }],
  ['an entry without an address', { ips: [{ description: 'x' }] }],
  ['a bare text', { ips: ['192.0.2.1'] }],
  ['a number', { ips: [{ ip: 3_221_225_985 }] }],
  ['a name', { ips: [{ ip: 'example.com' }] }],
  ['an empty address', { ips: [{ ip: '' }] }],
  ['an address with a port', { ips: [{ ip: '192.0.2.1:80' }] }],
  ['an octet too large', { ips: [{ ip: '192.0.2.256' }] }],
  ['an octal octet', { ips: [{ ip: '192.0.02.1' }] }],
  ['a prefix too long', { ips: [{ ip: '192.0.2.0/33' }] }],
  ['every IPv4 address', { ips: [{ ip: '0.0.0.0/0' }] }],
  ['an IPv4 block wider than /16', { ips: [{ ip: '10.0.0.0/15' }] }],
  ['every IPv6 address', { ips: [{ ip: '::/0' }] }],
  ['an IPv6 block wider than /32', { ips: [{ ip: '2001:db8::/31' }] }],
  ['every IPv4 address as a mapped block', { ips: [{ ip: '::ffff:0:0/96' }] }],
  ['a mapped block wider than /16', { ips: [{ ip: '::ffff:10.0.0.0/111' }] }],
  ['an IPv6 block that holds every mapped address', { ips: [{ ip: '::/64' }] }],
  ['one good and one block too wide', { ips: [{ ip: '192.0.2.1' }, { ip: '10.0.0.0/8' }] }],
  ['a zone', { ips: [{ ip: 'fe80::1%eth0' }] }],
  ['a description too long', { ips: [{ ip: '192.0.2.1', description: 'x'.repeat(256) }] }],
  ['a description that is no text', { ips: [{ ip: '192.0.2.1', description: 1 }] }],
  ['a null character', { ips: [{ ip: '192.0.2.1', description: 'a\0b' }] }],
  ['half a character', { ips: [{ ip: '192.0.2.1', description: '\ud83d' }] }],
  ['one good and one bad address', { ips: [{ ip: '192.0.2.1' }, { ip: 'x' }] }],
  ['the same address twice', { ips: [{ ip: '192.0.2.1' }, { ip: '::ffff:c000:201' }] }],
]

onBothStores((kind, start) => {
  test(`${kind}: adding whitelisted addresses`, async (t) => {
    const { url, createAccount, openBeside } = await start(t)

    await t.test('adding addresses returns 200 with the whole new list and a message', async () => {
      const account = await createAccount()
      await account.call(`POST ${path}`, { ips: [{ ip: '192.0.2.1', description: 'home' }] })

      const answer = await account.call(`POST ${path}`, { ips: [{ ip: '192.0.2.2' }] })
      const { data, message, ...rest } = answer.json()

      assert.equal(answer.statusCode, 200)
      assert.deepEqual(rest, {})
      assert.deepEqual(message, {
        title: 'Updated',
        body: 'Whitelisted IPs saved.',
        variant: 'success',
      })
      assert.deepEqual(
        data.map(({ _id, ...entry }: Record<string, string>) => entry),
        [
          { ip: '192.0.2.1', description: 'home' },
          { ip: '192.0.2.2', description: '' },
        ],
      )
      for (const { _id } of data) assert.match(_id, /^[0-9a-f]{24}$/)
    })

    await t.test('addresses and blocks are stored in their canonical form', async () => {
      const account = await createAccount()
      const ips = [
        '::ffff:192.0.2.1',
        '2001:DB8:0:0:0:0:0:1',
        '192.0.2.77/24',
        '2001:db8::beef/32',
        '198.51.100.7/32',
        '10.1.2.3/16',
      ]

      await account.call(`POST ${path}`, { ips: ips.map((ip) => ({ ip })) })

      assert.deepEqual(await ipsOf(account), [
        '192.0.2.1',
        '2001:db8::1',
        '192.0.2.0/24',
        '2001:db8::/32',
        '198.51.100.7',
        '10.1.0.0/16',
      ])
    })

    await t.test('an added address needs no credentials from the next request on', async () => {
      const account = await createAccount()
      const anonymous = () => callApi(url, 'GET /api/scraper/scrape/callback')
      assert.equal((await anonymous()).statusCode, 401)

      await account.call(`POST ${path}`, { ips: [{ ip: '127.0.0.1' }] })
      assert.equal((await anonymous()).statusCode, 200)

      await account.call(`DELETE ${path}`, { ips: [{ ip: '127.0.0.1' }] })
      assert.equal((await anonymous()).statusCode, 401)
    })

    await t.test('an address and a block that contains it are two entries', async () => {
      const account = await createAccount()

      const answer = await account.call(`POST ${path}`, {
        ips: [{ ip: '192.0.2.1' }, { ip: '192.0.2.0/24' }],
      })

      assert.equal(answer.statusCode, 200)
    })

    await t.test(
      'a description of 255 characters in any script and unknown keys are accepted',
      async () => {
        const account = await createAccount()
        const description = '🐟'.repeat(255)

        const answer = await account.call(`POST ${path}`, {
          ips: [{ ip: '192.0.2.1', description, colour: 'red' }],
          dry_run: true,
        })

        assert.equal(answer.statusCode, 200, answer.text)
        assert.equal(answer.json().data[0].description, description)
      },
    )

    await t.test('adding with invalid input gets 400 and changes nothing', async () => {
      const account = await createAccount()

      for (const [name, body] of badBodies) {
        const answer = await account.call(`POST ${path}`, body)
        assert.equal(answer.statusCode, 400, `${name}: ${answer.text}`)
        assertTextFailure(answer, 'VALIDATION_ERROR')
      }

      assert.deepEqual(await ipsOf(account), [])
    })

    await t.test('adding a listed address again gets 400, in any spelling', async () => {
      const account = await createAccount()
      await account.call(`POST ${path}`, { ips: [{ ip: '192.0.2.1', description: 'first' }] })

      const answer = await account.call(`POST ${path}`, {
        ips: [{ ip: '192.0.2.2' }, { ip: '::ffff:192.0.2.1', description: 'second' }],
      })

      const { message } = assertTextFailure(answer, 'VALIDATION_ERROR')
      assert.equal(message, 'An address is on the list already.')
      const { data } = (await account.call(`GET ${path}`)).json()
      assert.equal(data.length, 1)
      assert.equal(data[0].description, 'first')
    })

    await t.test(
      'a list holds at most 150 entries: a request that exceeds this gets 400 and adds none',
      async () => {
        const account = await createAccount()
        await fillTo(account, 149)

        const tooMany = await account.call(`POST ${path}`, { ips: entries(2, 200) })
        const exactly = await account.call(`POST ${path}`, { ips: entries(1, 200) })
        const oneMore = await account.call(`POST ${path}`, { ips: entries(1, 201) })

        assertTextFailure(tooMany, 'VALIDATION_ERROR')
        assert.equal(exactly.statusCode, 200)
        assert.equal(exactly.json().data.length, 150)
        assertTextFailure(oneMore, 'VALIDATION_ERROR')
        assert.equal((await ipsOf(account)).length, 150)
      },
    )

    await t.test(
      '20 concurrent additions near the limit of 150 end with exactly 150 entries',
      async () => {
        const [account, { db }] = [await createAccount(), await openBeside()]
        await fillTo(account, 140)
        const { id } = await getAccount(db, account.username)

        const answers = await Promise.all(
          entries(20, 200).map((entry) => account.call(`POST ${path}`, { ips: [entry] })),
        )

        const statuses = answers.map(({ statusCode }) => statusCode).sort()
        assert.deepEqual(statuses, [...Array(10).fill(200), ...Array(10).fill(400)])
        assert.equal((await ipsOf(account)).length, 150)
        const whitelist = createWhitelist(db)
        await whitelist.remove(id, ['10.0.0.1', '10.0.1.1', '10.0.2.1'])
        await Promise.allSettled(
          entries(20, 230).map(({ ip }) => whitelist.add(id, [{ block: ip, description: '' }])),
        )
        assert.equal((await ipsOf(account)).length, 150)
      },
    )

    await t.test('adding the same address 20 times at once lists it once', async () => {
      const account = await createAccount()

      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          account.call(`POST ${path}`, { ips: [{ ip: '192.0.2.1' }] }),
        ),
      )

      assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1)
      assert.deepEqual(await ipsOf(account), ['192.0.2.1'])
    })

    await t.test('adding without credentials gets 401 before the body is read', async () => {
      assertTextFailure(await callApi(url, `POST ${path}`, { body: '{' }), 'UNAUTHORIZED')
    })

    await t.test('a body that is too large gets 413, one of another content type 415', async () => {
      const account = await createAccount()
      const headers = { authorization: `Basic ${btoa(`${account.username}:${account.password}`)}` }

      const large = await account.call(`POST ${path}`, ' '.repeat(300_000))
      const text = await callApi(url, `POST ${path}`, {
        headers: { ...headers, 'content-type': 'text/plain' },
        body: '{"ips":[]}',
      })

      assertTextFailure(large, 'PAYLOAD_TOO_LARGE')
      assertTextFailure(text, 'UNSUPPORTED_MEDIA_TYPE')
    })

    await t.test('an address added in one spelling is found in any other spelling', async () => {
      const account = await createAccount()

      await fc.assert(
        fc.asyncProperty(spellingsOf, async ([spelling, other, another]) => {
          const added = await account.call(`POST ${path}`, { ips: [{ ip: spelling }] })
          const again = await account.call(`POST ${path}`, { ips: [{ ip: other }] })
          const updated = await account.call(`PUT ${path}`, { ip: other, description: 'found' })
          const removed = await account.call(`DELETE ${path}`, { ips: [{ ip: another }] })

          assert.equal(added.statusCode, 200)
          assertTextFailure(again, 'VALIDATION_ERROR')
          assert.deepEqual(
            updated.json().data,
            added.json().data.map((entry: object) => ({ ...entry, description: 'found' })),
          )
          assert.deepEqual(removed.json().data, [])
        }),
        { numRuns: 15 },
      )
    })
  })
})
