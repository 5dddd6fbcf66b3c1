import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from '../../src/storage/statement.ts'
import { createBlankStore, openBlankStore, storeKinds } from '../support/test-store.ts'
import { addContent, addItem, findItem, listNames, withItems } from './items.ts'

for (const kind of storeKinds) {
  test(`${kind}: a quick read returns the same rows as an ordinary one, the last commit included`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    for (const [name, amount] of Object.entries({ a: 1, b: 2 ** 40, ü: 0 })) {
      await db.run(addItem(name, amount))
      assert.deepEqual(await db.run(findItem(name).quick()), [{ name, amount }])
    }
    await db.run(addContent('blob', new Uint8Array([1, 2, 3])))

    assert.deepEqual(await db.run(findItem('none').quick()), [])
    assert.deepEqual(await db.run(listNames().quick()), await db.run(listNames()))
  })

  test(`${kind}: a quick read sees what another process committed, and nothing uncommitted`, async (t) => {
    const store = await createBlankStore(t, kind)
    const [db, other] = [await store.open(withItems), await store.open(withItems)]
    await db.run(listNames().quick())
    await other.run(addItem('theirs'))

    assert.deepEqual(await db.run(listNames().quick()), ['theirs'])
  })
}

test('sqlite: a quick read does not wait for a writer, and sees nothing uncommitted', async (t) => {
  const store = await createBlankStore(t, 'sqlite')
  const db = await store.open(withItems)
  const writer = new DatabaseSync(join(store.place.dataDir, 'trawl.db'))
  t.after(() => writer.close())
  writer.exec("begin immediate; insert into items (name) values ('draft')")

  assert.deepEqual(await db.run(listNames().quick()), [])
  writer.exec('commit')
  assert.deepEqual(await db.run(listNames().quick()), ['draft'])
})

test('sqlite: a quick read, with a mapper or without, ends in the same turn of the event loop', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)
  const unmapped = sql<{ one: number }>`select 1 as one`.quick()
  const mapped = sql<{ one: number }>`select 1 as one`.map(({ one }) => ({ one })).quick()

  for (const statement of [unmapped, mapped, unmapped]) {
    const rows = await Promise.race([db.run(statement), nextTurn('waited for the database thread')])
    assert.deepEqual(rows, [{ one: 1 }])
  }
})

test('sqlite: a quick read that fails has the same error as an ordinary one', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)
  const wrong = sql`select * from nowhere`

  const ordinary = await db.run(wrong).catch((error: Error) => error.message)
  const quick = await db.run(wrong.quick()).catch((error: Error) => error.message)

  assert.equal(quick, ordinary)
  assert.deepEqual(await db.run(listNames().quick()), [])
})

test('sqlite: a quick read of a closed store is refused and opens the file no more', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)
  await db.run(listNames().quick())

  await db[Symbol.asyncDispose]()

  await assert.rejects(db.run(listNames().quick()))
})
