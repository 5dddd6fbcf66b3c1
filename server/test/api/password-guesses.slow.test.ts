import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createAuthenticator } from '../../src/accounts/authenticator.ts'
import { hashPassword } from '../../src/accounts/password.ts'
import type { Failure } from '../../src/domain/failure.ts'
import { createSealer } from '../../src/runtime/crypto/seal.ts'
import type { Database } from '../../src/storage/database.ts'
import { Statement, sql } from '../../src/storage/statement.ts'
import {
  createTestStore,
  type StoreKind,
  silentLog,
  tierStoreKinds,
} from '../support/test-store.ts'

const everyone = { byKey: true, byAddress: true }

/** A freshly started authenticator with accounts that nobody has logged in to. */
async function createTestAuthenticator(t: TestContext, kind: StoreKind) {
  const { open, place } = await createTestStore(t, kind)
  const db = await open()
  const authenticator = createAuthenticator({ db, log: silentLog })
  return {
    db,
    dataDir: place.dataDir,
    async createAccount(username: string) {
      return await createAccount(
        { db, sealer: createSealer({ newest: Buffer.alloc(32, 1) }) },
        { username },
      )
    },
    /** The name of the account, or the failure code. */
    async logIn(username: string, password: string, address: string): Promise<string> {
      const offered = {
        apiKeys: [],
        basic: { username, password },
        sessionToken: undefined,
        address,
      }
      try {
        return (await authenticator.authenticate(offered, everyone)).username
      } catch (failure) {
        return (failure as Failure).code
      }
    },
  }
}

const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index))

/** How many times the CPU of one password hash the work takes. */
async function countHashes(act: () => Promise<unknown>): Promise<number> {
  const cpuOf = async (work: () => Promise<unknown>) => {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  await hashPassword('warm up')
  const hashCpu = await cpuOf(() => hashPassword('measured'))
  return (await cpuOf(act)) / hashCpu
}

for (const kind of tierStoreKinds) {
  test(`${kind}: a first login during guesses from its own address is accepted`, async (t) => {
    const { createAccount, logIn } = await createTestAuthenticator(t, kind)
    const { password } = await createAccount('ada')
    const guess = (index: number) => logIn('ada', `wrong-${index}`, '192.0.2.1')

    const before = times(12, guess)
    const login = logIn('ada', password, '192.0.2.1')
    const after = times(12, (index) => guess(100 + index))

    assert.equal(await login, 'ada')
    const answers = await Promise.all([...before, ...after])
    assert.deepEqual([...new Set(answers)], ['UNAUTHORIZED'])
  })

  test(`${kind}: a first login waits for at most one guess of each other address`, async (t) => {
    const { createAccount, logIn } = await createTestAuthenticator(t, kind)
    const { password } = await createAccount('ada')
    const guesses: Promise<string>[] = []

    const hashCount = await countHashes(async () => {
      for (let address = 1; address <= 14; address += 1) {
        guesses.push(...times(20, (index) => logIn('ada', `wrong-${index}`, `192.0.2.${address}`)))
      }
      assert.equal(await logIn('ada', password, '198.51.100.1'), 'ada')
    })

    t.diagnostic(`the login took the CPU of ${hashCount.toFixed(1)} hashes`)
    assert.ok(hashCount < 40, `${hashCount} hashes were made before a login of 280 guesses`)
    assert.deepEqual([...new Set(await Promise.all(guesses))], ['UNAUTHORIZED'])
  })

  test(`${kind}: an address that guesses at many accounts delays a first login by one guess, too`, async (t) => {
    const { createAccount, logIn } = await createTestAuthenticator(t, kind)
    const { password } = await createAccount('ada')
    const names = times(4, (index) => `unused-${index}`)
    for (const name of names) await createAccount(name)
    const guesses: Promise<string>[] = []

    const hashCount = await countHashes(async () => {
      for (let address = 1; address <= 14; address += 1) {
        const guessFrom = (name: string) => logIn(name, `wrong-${address}`, `192.0.2.${address}`)
        guesses.push(...names.map(guessFrom))
      }
      assert.equal(await logIn('ada', password, '198.51.100.1'), 'ada')
    })

    t.diagnostic(`the login took the CPU of ${hashCount.toFixed(1)} hashes`)
    assert.ok(hashCount < 40, `${hashCount} hashes were made before a login of 56 guesses`)
    assert.deepEqual([...new Set(await Promise.all(guesses))], ['UNAUTHORIZED'])
  })

  test(`${kind}: after a login 1 000 guesses cost the CPU of a few hashes, whether the name exists or not`, async (t) => {
    const { createAccount, logIn } = await createTestAuthenticator(t, kind)
    const { password } = await createAccount('ada')
    assert.equal(await logIn('ada', password, '192.0.2.1'), 'ada')

    for (const name of ['ada', 'nobody']) {
      const hashCount = await countHashes(async () => {
        const guesses = times(1000, (index) =>
          logIn(name, `wrong-${index}`, `203.0.113.${index % 250}`),
        )
        assert.deepEqual([...new Set(await Promise.all(guesses))], ['UNAUTHORIZED'])
      })
      t.diagnostic(`1 000 guesses for ${name} took the CPU of ${hashCount.toFixed(1)} hashes`)
      assert.ok(hashCount < 50, `1 000 guesses for ${name} cost ${hashCount} hashes`)
    }
  })

  test(`${kind}: logins and guesses leave nothing in the store or the data folder`, async (t) => {
    const { db, dataDir, createAccount, logIn } = await createTestAuthenticator(t, kind)
    const { password } = await createAccount('ada')
    const before = { rows: await dumpRows(db), files: await dumpFiles(dataDir) }

    assert.equal(await logIn('ada', password, '192.0.2.1'), 'ada')
    await Promise.all(times(20, (index) => logIn('ada', `wrong-${index}`, '192.0.2.1')))

    const after = { rows: await dumpRows(db), files: await dumpFiles(dataDir) }
    assert.deepEqual(after, before)
    assert.match(JSON.stringify(after.rows), /\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })
}

// `npm run faults auth` measures how long the responses take.
test('a wrong password is answered by the same timer before and after the first login and for unknown users', async (t) => {
  const { createAccount, logIn } = await createTestAuthenticator(t, 'sqlite')
  const { password } = await createAccount('used')
  await createAccount('unused')
  assert.equal(await logIn('used', password, '192.0.2.1'), 'used')
  const answered: string[] = []

  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const name of ['used', 'unused', 'nobody']) {
    void logIn(name, 'wrong', '192.0.2.1').then(() => answered.push(name))
  }
  // Takes longer than hashing one of the guesses.
  for (let count = 0; count < 6; count += 1) await hashPassword('another')
  const answeredBefore = [...answered]
  while (answered.length < 3) {
    t.mock.timers.tick(2_000)
    await new Promise(setImmediate)
  }

  assert.deepEqual(answeredBefore, [])
})

/** Every row of every table. */
async function dumpRows(db: Database): Promise<Record<string, unknown[]>> {
  const tables =
    db.kind === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_schema where type = 'table' order by name`
      : sql<{ name: string }>`
          select table_name as name from information_schema.tables
          where table_schema = 'public' order by table_name`
  const dump: Record<string, unknown[]> = {}
  for (const { name } of await db.run(tables)) {
    dump[name] = await db.run(new Statement({ strings: [`select * from ${name}`], slots: [] }))
  }
  return dump
}

/** Every file with its content, except SQLite's shared-memory index. */
async function dumpFiles(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map((entry) => join(entry.parentPath, entry.name))
  const dump: Record<string, string> = {}
  for (const name of names.sort()) dump[name] = await readFile(name, 'base64')
  return dump
}
