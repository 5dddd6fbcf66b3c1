import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { pino } from 'pino'
import { StoreRefused } from '../../src/storage/outages/store-refused.ts'
import type { Migration } from '../../src/storage/schema/migration.ts'
import { sql } from '../../src/storage/statement.ts'
import {
  addStoreProperty,
  findStoreProperty,
  putStoreProperty,
} from '../../src/storage/tables/store-properties.ts'
import { startScript } from '../support/script-process.ts'
import { startStallingProxy } from '../support/stalling-proxy.ts'
import {
  createBlankStore,
  openBlankStore,
  type StoreKind,
  storeKinds,
} from '../support/test-store.ts'
import { addItem, itemsMigration, listNames, withItems } from './items.ts'

const fillMigration: Migration = {
  version: 2,
  purpose: 'fill_items',
  text: "insert into items (name) values ('from the migration'); -- Done; once.\n",
}

const refusal = (says: RegExp) => (error: unknown) =>
  error instanceof StoreRefused && says.test(error.message)

const listTables: Record<StoreKind, () => ReturnType<typeof sql<{ name: string }>>> = {
  sqlite: () => sql`select name from sqlite_schema where type = 'table' order by name`,
  postgres: () => sql`
    select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
}

for (const kind of storeKinds) {
  test(`${kind}: many processes can open an empty store at the same time`, async (t) => {
    const store = await createBlankStore(t, kind)
    const migrations = [itemsMigration, fillMigration]
    const processes = Array.from({ length: 6 }, () =>
      startScript(t, new URL('./open-store.ts', import.meta.url), {
        place: store.place,
        migrations,
      }),
    )
    for (const each of processes) assert.equal(await each.nextLine(), 'waiting')

    for (const each of processes) each.writeLine('go')
    const answers = await Promise.all(processes.map((each) => each.nextLine()))

    assert.deepEqual(new Set(answers), new Set(['opened']))
    const db = await store.open({ migrations })
    assert.deepEqual(await db.run(listNames()), ['from the migration'])
  })

  test(`${kind}: a store keeps its rows when a newer version of the program opens it`, async (t) => {
    const store = await createBlankStore(t, kind)
    await (await store.open(withItems)).run(addItem('kept'))

    const db = await store.open({ migrations: [itemsMigration, fillMigration] })

    assert.deepEqual(await db.run(listNames()), ['from the migration', 'kept'])
  })

  test(`${kind}: a failed migration is rolled back and can be run again once fixed`, async (t) => {
    const store = await createBlankStore(t, kind)
    const broken = { ...fillMigration, text: `${fillMigration.text} create table oops (;` }
    const half = { ...fillMigration, text: 'create table half (a text); select no_such_column;' }
    for (const migration of [broken, half]) {
      await assert.rejects(
        store.open({ migrations: [itemsMigration, migration] }),
        refusal(/Migration 2 failed/),
      )
    }

    const db = await store.open({ migrations: [itemsMigration, fillMigration] })
    assert.deepEqual(await db.run(listNames()), ['from the migration'])
    assert.deepEqual(
      (await db.run(listTables[kind]())).map(({ name }) => name),
      ['item_notes', 'items', 'schema_migrations'],
    )
  })

  test(`${kind}: a store with a newer schema is not opened`, async (t) => {
    const store = await createBlankStore(t, kind)
    await store.open({ migrations: [itemsMigration, fillMigration] })

    await assert.rejects(store.open(withItems), refusal(/has schema 2 and this program knows 1/))
  })

  test(`${kind}: a store property is added once, can be replaced and is read back`, async (t) => {
    const db = await openBlankStore(t, kind)
    const property = { name: 'owner', value: 'first' }

    const [added] = await db.run(addStoreProperty(property))
    const [kept] = await db.run(addStoreProperty({ ...property, value: 'second' }))
    await db.run(putStoreProperty({ ...property, value: 'third' }))

    assert.deepEqual([added, kept], ['first', 'first'])
    assert.deepEqual(await db.run(findStoreProperty('owner')), ['third'])
    assert.deepEqual(await db.run(findStoreProperty('unknown')), [])
  })

  test(`${kind}: the clock of a store on this machine agrees with the machine's`, async (t) => {
    const db = await openBlankStore(t, kind)

    // What the way to the server and back took is all that they can differ by.
    const beganMs = Date.now()
    await db.ping()
    const offMsMax = 1_000 + Date.now() - beganMs
    assert(Math.abs(db.nowMs() - Date.now()) < offMsMax)
    assert(Math.abs(db.clockOffsetMs()) < offMsMax)
    assert(Number.isInteger(db.nowMs()))
  })
}

const badFiles = {
  'a file that is no database': Buffer.from('not a database at all, just text\n'.repeat(50)),
  'a database cut short': undefined,
}
for (const [name, content] of Object.entries(badFiles)) {
  test(`sqlite: ${name} is not opened, the error names it, and it stays unchanged`, async (t) => {
    const store = await createBlankStore(t, 'sqlite')
    const file = join(store.place.dataDir, 'trawl.db')
    if (content) await writeFile(file, content)
    else await writeDamagedStore(file)
    const before = await readFile(file)

    await assert.rejects(
      store.open(withItems),
      (error) => error instanceof StoreRefused && error.message.includes(file),
    )
    assert.deepEqual(await readFile(file), before)
  })
}

async function writeDamagedStore(file: string): Promise<void> {
  using connection = new DatabaseSync(file)
  connection.exec('create table schema_migrations (version bigint primary key, purpose text)')
  connection.close()
  const whole = await readFile(file)
  await writeFile(file, whole.subarray(0, whole.length / 2))
}

test("sqlite: another program's database is not opened, the error names it, and it stays unchanged", async (t) => {
  const store = await createBlankStore(t, 'sqlite')
  const file = join(store.place.dataDir, 'trawl.db')
  using foreign = new DatabaseSync(file)
  foreign.exec('create table somebody_elses (a text)')
  foreign.close()
  const before = await readFile(file)

  await assert.rejects(store.open(withItems), refusal(/trawl\.db belongs to another program/))
  assert.deepEqual(await readFile(file), before)
})

test('sqlite: commits are synced to disk and foreign keys are enforced', async (t) => {
  const db = await openBlankStore(t, 'sqlite')

  const settings = await db.run(sql`
    select (select synchronous from pragma_synchronous) as synchronous,
      (select journal_mode from pragma_journal_mode) as journal_mode,
      (select foreign_keys from pragma_foreign_keys) as foreign_keys`)

  assert.deepEqual(settings, [{ synchronous: 2, journal_mode: 'wal', foreign_keys: 1 }])
})

test('sqlite: only its owner can read the database file', async (t) => {
  const store = await createBlankStore(t, 'sqlite')
  await store.open()
  const { mode } = await stat(join(store.place.dataDir, 'trawl.db'))

  assert.equal(mode & 0o777, 0o600)
})

test('sqlite: a data folder that cannot be created fails with StoreRefused', async (t) => {
  const store = await createBlankStore(t, 'sqlite')
  const file = join(store.place.dataDir, 'a-file')
  await writeFile(file, '')

  await assert.rejects(
    store.open({ dataDir: join(file, 'inside') }),
    refusal(/a-file\/inside\/trawl\.db cannot be opened/),
  )
})

test('postgres: server settings that risk losing acknowledged writes cause warnings', async (t) => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })

  await openBlankStore(t, 'postgres', { log })

  assert.deepEqual(
    lines.map((line) => JSON.parse(line).setting),
    ['fsync', 'full_page_writes', 'synchronous_commit'],
  )
})

test('postgres: an unreachable server fails with StoreRefused, without showing the password', async (t) => {
  const store = await createBlankStore(t, 'sqlite')
  const url = 'postgres://trawl:secret@127.0.0.1:1/trawl'

  await assert.rejects(
    store.open({ url, patienceMs: 0 }),
    (error) =>
      error instanceof StoreRefused &&
      error.message.includes('127.0.0.1:1/trawl') &&
      !error.message.includes('secret'),
  )
})

test('postgres: connecting to a server that is not ready yet is retried until it is', async (t) => {
  const store = await createBlankStore(t, 'postgres')
  const url = new URL(store.place.url ?? '')
  await using proxy = await startStallingProxy(Number(url.port))
  url.port = String(proxy.port)
  proxy.stall()
  const warnings: string[] = []
  const write = (line: string) => {
    const { msg } = JSON.parse(line)
    if (/The store/.test(msg)) warnings.push(msg)
    proxy.resume()
  }

  const db = await store.open({ url: url.href, log: pino({ level: 'warn' }, { write }) })

  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /cannot be opened: .+ Retrying for 30000 ms/)
  assert.deepEqual(await db.run(sql`select 1 as one`), [{ one: 1 }])
})

test('a database URL with an unknown scheme fails with StoreRefused', async (t) => {
  const store = await createBlankStore(t, 'sqlite')

  await assert.rejects(store.open({ url: 'mysql://localhost/trawl' }), refusal(/postgres:\/\//))
})
