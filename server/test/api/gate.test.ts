import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createAccount, enableAccount, getAccount } from '../../src/accounts/accounts.ts'
import { type Admission, createGate, type OfferedCredentials } from '../../src/accounts/gate.ts'
import { createWhitelist } from '../../src/accounts/whitelist.ts'
import type { Failure } from '../../src/domain/failure.ts'
import { createSealer } from '../../src/runtime/seal.ts'
import { openTestStore, type StoreKind, silentLog, storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const scrapeFamily: Admission = { byKey: true, byAddress: true }

/** A gate on a store of its own, and whom it names. */
async function openGate(t: TestContext, kind: StoreKind) {
  const db = await openTestStore(t, kind)
  const store = { db, sealer: createSealer(Buffer.alloc(32, 1)) }
  const gate = createGate({ db, log: silentLog })
  const whitelist = createWhitelist(db)
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
    /** The name of the account, or the code of the refusal. */
    async nameOf(
      address: string,
      offered: Partial<OfferedCredentials> = {},
      admission = scrapeFamily,
    ): Promise<string> {
      const credentials = { apiKeys: [], basic: undefined, ...offered, address }
      try {
        return (await gate.identify(credentials, admission)).username
      } catch (failure) {
        return (failure as Failure).code
      }
    },
    whitelist,
  }
}

for (const kind of storeKinds) {
  test(`${kind}: an address that exactly one account lists needs no credentials`, async (t) => {
    const { createAccount, nameOf } = await openGate(t, kind)
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

  test(`${kind}: an address that two accounts list names neither, an account that lists it twice is one`, async (t) => {
    const { createAccount, nameOf } = await openGate(t, kind)
    await createAccount('ada', '192.0.2.1', '192.0.2.0/24', '0.0.0.0/1')
    await createAccount('bob', '198.51.0.0/16')
    await createAccount('eve', '198.51.100.1')

    assert.equal(await nameOf('192.0.2.1'), 'ada')
    assert.equal(await nameOf('10.0.0.1'), 'ada')
    assert.equal(await nameOf('198.51.100.1'), 'UNAUTHORIZED')
    assert.equal(await nameOf('198.51.100.2'), 'bob')
  })

  test(`${kind}: credentials that are brought along must be right, from whatever address`, async (t) => {
    const { createAccount, nameOf } = await openGate(t, kind)
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

  test(`${kind}: an address opens only the families that say so, a list restricts nobody`, async (t) => {
    const { createAccount, nameOf } = await openGate(t, kind)
    const ada = await createAccount('ada', '192.0.2.1')
    const webhooks = { byKey: true, byAddress: false }
    const configuration = { byKey: false, byAddress: false }

    assert.equal(await nameOf('192.0.2.1', {}, webhooks), 'UNAUTHORIZED')
    assert.equal(await nameOf('192.0.2.1', {}, configuration), 'UNAUTHORIZED')
    assert.equal(await nameOf('203.0.113.9', { apiKeys: [ada.apiKey] }), 'ada')
  })

  test(`${kind}: a disabled account's list does not count, and changes are seen within 3 s`, async (t) => {
    const { db, createAccount, nameOf, whitelist } = await openGate(t, kind)
    const ada = await createAccount('ada', '192.0.2.1', '192.0.2.3')
    await createAccount('bob', '192.0.2.1', '192.0.2.2')
    await enableAccount(db, 'bob', false)
    assert.equal(await nameOf('192.0.2.1'), 'ada')
    assert.equal(await nameOf('192.0.2.2'), 'UNAUTHORIZED')
    assert.equal(await nameOf('192.0.2.3'), 'ada')

    await enableAccount(db, 'bob', true)
    await whitelist.remove(ada.id, ['192.0.2.3'])

    const becomes = (address: string, name: string) =>
      until(async () => (await nameOf(address)) === name, { withinMs: 3500 })
    await Promise.all([
      becomes('192.0.2.1', 'UNAUTHORIZED'),
      becomes('192.0.2.2', 'bob'),
      becomes('192.0.2.3', 'UNAUTHORIZED'),
    ])
  })

  test(`${kind}: the right password is never too many, however many bring it at once`, async (t) => {
    const { createAccount, nameOf } = await openGate(t, kind)
    const { username, password } = await createAccount('ada')

    const names = await Promise.all(
      Array.from({ length: 200 }, () => nameOf('192.0.2.1', { basic: { username, password } })),
    )

    assert.deepEqual([...new Set(names)], ['ada'])
  })
}
