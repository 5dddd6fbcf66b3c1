import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createAccount, enableAccount, getAccount } from '../../src/accounts/accounts.ts'
import {
  type AuthMethods,
  createAuthenticator,
  type OfferedCredentials,
} from '../../src/accounts/authenticator.ts'
import { createWhitelist } from '../../src/accounts/whitelist.ts'
import type { Failure } from '../../src/domain/failure.ts'
import { createSealer } from '../../src/runtime/crypto/seal.ts'
import { insertWhitelistedIp } from '../../src/storage/tables/whitelisted-ips.ts'
import { openTestStore, type StoreKind, silentLog, tierStoreKinds } from '../support/test-store.ts'

const scrapeFamily: AuthMethods = { byKey: true, byAddress: true }

/** An authenticator on its own store, and a function that names the caller. */
async function createTestAuthenticator(t: TestContext, kind: StoreKind) {
  const db = await openTestStore(t, kind)
  const store = { db, sealer: createSealer({ newest: Buffer.alloc(32, 1) }) }
  const authenticator = createAuthenticator({ db, log: silentLog })
  const whitelist = createWhitelist(db, () => authenticator.clearIpCache())
  return {
    db,
    async createAccount(username: string, ...blocks: string[]) {
      const credentials = await createAccount(store, { username })
      const { id } = await getAccount(db, username)
      if (blocks.length > 0) {
        await whitelist.add(
          id,
          blocks.map((block) => ({ block, description: '' })),
        )
      }
      return { ...credentials, id }
    },
    /** The name of the account, or the failure code. */
    async nameOf(
      address: string,
      offered: Partial<OfferedCredentials> = {},
      admission = scrapeFamily,
    ): Promise<string> {
      const credentials = {
        apiKeys: [],
        basic: undefined,
        sessionToken: undefined,
        ...offered,
        address,
      }
      try {
        return (await authenticator.authenticate(credentials, admission)).username
      } catch (failure) {
        return (failure as Failure).code
      }
    },
    whitelist,
  }
}

for (const kind of tierStoreKinds) {
  test(`${kind}: an address on the list of one account needs no credentials`, async (t) => {
    const { createAccount, nameOf } = await createTestAuthenticator(t, kind)
    await createAccount('ada', '192.0.2.1', '2001:db8::/32', '198.51.100.0/24')
    await createAccount('bob', '203.0.113.7')
    const expected: [address: string, name: string][] = [
      ['192.0.2.1', 'ada'],
      ['::ffff:192.0.2.1', 'ada'],
      ['192.0.2.2', 'UNAUTHORIZED'],
      ['198.51.100.0', 'ada'],
      ['198.51.100.255', 'ada'],
      ['198.51.101.0', 'UNAUTHORIZED'],
      ['2001:db8:ffff::1', 'ada'],
      ['2001:0DB8:0:0:0:0:0:1', 'ada'],
      ['2001:db9::', 'UNAUTHORIZED'],
      ['203.0.113.7', 'bob'],
      ['', 'UNAUTHORIZED'],
      ['fe80::1%eth0', 'UNAUTHORIZED'],
    ]

    for (const [address, name] of expected) assert.equal(await nameOf(address), name, address)
  })

  test(`${kind}: the longest listed block that contains an address decides the account`, async (t) => {
    const { createAccount, nameOf } = await createTestAuthenticator(t, kind)
    await createAccount('ada', '192.0.2.1', '192.0.2.0/24', '198.51.0.0/16', '2001:db8::/32')
    await createAccount('bob', '192.0.0.0/16', '198.51.100.1', '2001:db8:0:1::/64')

    assert.equal(await nameOf('192.0.2.1'), 'ada')
    assert.equal(await nameOf('192.0.2.2'), 'ada')
    assert.equal(await nameOf('192.0.3.1'), 'bob')
    assert.equal(await nameOf('198.51.100.1'), 'bob')
    assert.equal(await nameOf('::ffff:198.51.100.1'), 'bob')
    assert.equal(await nameOf('198.51.100.2'), 'ada')
    assert.equal(await nameOf('2001:db8:0:1::5'), 'bob')
    assert.equal(await nameOf('2001:db8:0:2::5'), 'ada')
  })

  test(`${kind}: the same longest block on two lists authenticates nobody, despite wider blocks`, async (t) => {
    const { createAccount, nameOf } = await createTestAuthenticator(t, kind)
    await createAccount('ada', '192.0.2.1', '192.0.2.0/24', '198.51.100.0/24')
    await createAccount('bob', '192.0.2.1', '198.51.100.0/24', '198.51.100.7')

    assert.equal(await nameOf('192.0.2.1'), 'UNAUTHORIZED')
    assert.equal(await nameOf('192.0.2.2'), 'ada')
    assert.equal(await nameOf('198.51.100.7'), 'bob')
    assert.equal(await nameOf('198.51.100.8'), 'UNAUTHORIZED')
  })

  test(`${kind}: a stored block that is too wide matches nothing, hides nothing and can be removed`, async (t) => {
    const { db, createAccount, nameOf, whitelist } = await createTestAuthenticator(t, kind)
    const eve = await createAccount('eve')
    await createAccount('ada', '192.0.2.1')
    const wide = ['0.0.0.0/0', '192.0.0.0/15', '::/0', '2001:db8::/31', '::fffe:0:0/95']
    for (const [index, block] of wide.entries()) {
      const entry = { id: `${index}`, accountId: eve.id, block, description: '', nowMs: index }
      await db.run(insertWhitelistedIp(entry))
    }

    assert.equal(await nameOf('192.0.2.1'), 'ada')
    assert.equal(await nameOf('192.0.2.2'), 'UNAUTHORIZED')
    assert.equal(await nameOf('2001:db8::1'), 'UNAUTHORIZED')
    const listed = await whitelist.list(eve.id)
    assert.deepEqual(
      listed.map(({ block }) => block),
      wide,
    )
    assert.deepEqual(await whitelist.remove(eve.id, wide), [])
  })

  test(`${kind}: an address added in this process works at once, although it was just refused`, async (t) => {
    const { createAccount, nameOf, whitelist } = await createTestAuthenticator(t, kind)
    const ada = await createAccount('ada')
    assert.equal(await nameOf('192.0.2.1'), 'UNAUTHORIZED')

    // These start before the address is listed and may end after it.
    const early = Array.from({ length: 20 }, () => nameOf('192.0.2.1'))
    await whitelist.add(ada.id, [{ block: '192.0.2.1', description: '' }])

    assert.equal(await nameOf('192.0.2.1'), 'ada')
    await Promise.all(early)
    assert.equal(await nameOf('192.0.2.1'), 'ada')
    await whitelist.remove(ada.id, ['192.0.2.1'])
    assert.equal(await nameOf('192.0.2.1'), 'UNAUTHORIZED')
  })

  test(`${kind}: an address added by another process works within 2 s`, async (t) => {
    const { db, createAccount, nameOf } = await createTestAuthenticator(t, kind)
    const ada = await createAccount('ada')
    assert.equal(await nameOf('192.0.2.1'), 'UNAUTHORIZED')

    await createWhitelist(db).add(ada.id, [{ block: '192.0.2.1', description: '' }])

    const inTwoSeconds = performance.now() + 1900
    t.mock.method(performance, 'now', () => inTwoSeconds)
    assert.equal(await nameOf('192.0.2.1'), 'ada')
  })

  test(`${kind}: a whitelisted address with wrong credentials is refused`, async (t) => {
    const { createAccount, nameOf } = await createTestAuthenticator(t, kind)
    const ada = await createAccount('ada', '192.0.2.1')
    const bob = await createAccount('bob')
    const { username } = ada

    assert.equal(await nameOf('192.0.2.1', { apiKeys: ['wrong'] }), 'UNAUTHORIZED')
    assert.equal(await nameOf('192.0.2.1', { basic: 'unreadable' }), 'UNAUTHORIZED')
    assert.equal(
      await nameOf('192.0.2.1', { basic: { username, password: 'wrong' } }),
      'UNAUTHORIZED',
    )
    assert.equal(await nameOf('192.0.2.1', { apiKeys: [bob.apiKey] }), 'bob')
    assert.equal(await nameOf('192.0.2.1', { apiKeys: [ada.apiKey] }), 'ada')
  })

  test(`${kind}: an address opens only route families that allow it, and a list restricts nobody`, async (t) => {
    const { createAccount, nameOf } = await createTestAuthenticator(t, kind)
    const ada = await createAccount('ada', '192.0.2.1')
    const webhooks = { byKey: true, byAddress: false }
    const configuration = { byKey: false, byAddress: false }

    assert.equal(await nameOf('192.0.2.1', {}, webhooks), 'UNAUTHORIZED')
    assert.equal(await nameOf('192.0.2.1', {}, configuration), 'UNAUTHORIZED')
    assert.equal(await nameOf('203.0.113.9', { apiKeys: [ada.apiKey] }), 'ada')
  })

  test(`${kind}: the list of a disabled account counts as empty, and changes apply within 3 s`, async (t) => {
    const { db, createAccount, nameOf, whitelist } = await createTestAuthenticator(t, kind)
    const ada = await createAccount('ada', '192.0.2.1', '192.0.2.3')
    await createAccount('bob', '192.0.2.1', '192.0.2.2', '198.51.100.9')
    await createAccount('eve', '198.51.100.0/24')
    await enableAccount(db, 'bob', false)
    assert.equal(await nameOf('192.0.2.1'), 'ada')
    assert.equal(await nameOf('192.0.2.2'), 'UNAUTHORIZED')
    assert.equal(await nameOf('192.0.2.3'), 'ada')
    assert.equal(await nameOf('198.51.100.9'), 'eve')

    await enableAccount(db, 'bob', true)
    await whitelist.remove(ada.id, ['192.0.2.3'])

    const inThreeSeconds = performance.now() + 2900
    t.mock.method(performance, 'now', () => inThreeSeconds)
    assert.equal(await nameOf('192.0.2.1'), 'UNAUTHORIZED')
    assert.equal(await nameOf('192.0.2.2'), 'bob')
    assert.equal(await nameOf('192.0.2.3'), 'UNAUTHORIZED')
    assert.equal(await nameOf('198.51.100.9'), 'bob')
  })

  test(`${kind}: concurrent requests with the right password are never rate limited`, async (t) => {
    const { createAccount, nameOf } = await createTestAuthenticator(t, kind)
    const { username, password } = await createAccount('ada')

    const names = await Promise.all(
      Array.from({ length: 200 }, () => nameOf('192.0.2.1', { basic: { username, password } })),
    )

    assert.deepEqual([...new Set(names)], ['ada'])
  })
}
