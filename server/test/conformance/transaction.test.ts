import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { ConstraintViolated } from '../../src/storage/constraint-violated.ts'
import { RequirementUnmet, sql } from '../../src/storage/statement.ts'
import { createBlankStore, openBlankStore, storeKinds } from '../support/test-store.ts'
import { addItem, findItem, listNames, withItems } from './items.ts'

for (const kind of storeKinds) {
  test(`${kind}: a transaction returns the rows of each statement, in order`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)

    const [added, updated, names] = await db.transaction([
      addItem('a', 1),
      sql<{ amount: number }>`update items set amount = amount + 1 returning amount`,
      listNames(),
    ])

    assert.deepEqual(added, [{ name: 'a' }])
    assert.deepEqual(updated, [{ amount: 2 }])
    assert.deepEqual(names, ['a'])
  })

  test(`${kind}: a transaction is rolled back when one statement fails`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    await db.run(addItem('taken'))

    await assert.rejects(
      db.transaction([addItem('a'), addItem('taken'), addItem('b')]),
      (error) => error instanceof ConstraintViolated && error.kind === 'unique',
    )

    assert.deepEqual(await db.run(listNames()), ['taken'])
  })

  test(`${kind}: the error of a violated constraint names the kind of constraint`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    const violations = {
      check: addItem('a', -1),
      'not-null': sql`insert into items (name, amount) values ('a', null)`,
      'foreign-key': sql`insert into items (name, parent) values ('a', 'nobody')`,
    }
    for (const [expected, statement] of Object.entries(violations)) {
      await assert.rejects(
        db.run(statement),
        (error) => error instanceof ConstraintViolated && error.kind === expected,
      )
    }
  })

  test(`${kind}: a required statement without a row rolls the transaction back`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    const isThere = findItem('missing').required('the item exists')

    await assert.rejects(
      db.transaction([addItem('a'), isThere, addItem('b')]),
      (error) => error instanceof RequirementUnmet && error.requirement === 'the item exists',
    )

    assert.deepEqual(await db.run(listNames()), [])
  })

  test(`${kind}: a required statement with a row lets the transaction commit`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    const isThere = findItem('a').required('the item exists')

    const [, found] = await db.transaction([addItem('a', 3), isThere])

    assert.deepEqual(found, [{ name: 'a', amount: 3 }])
    assert.deepEqual(await db.run(listNames()), ['a'])
  })

  test(`${kind}: a single required statement that returns no row is rolled back`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    const rowless = sql`insert into items (name) values ('a')`.required('a row')

    await assert.rejects(db.run(rowless), RequirementUnmet)

    assert.deepEqual(await db.run(listNames()), [])
  })

  test(`${kind}: an unmet requirement is reported rather than the error that follows from it`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    await db.run(addItem('taken'))
    const isThere = findItem('missing').required('the item exists')

    await assert.rejects(db.transaction([isThere, addItem('taken')]), RequirementUnmet)
    await db.ping()
  })

  test(`${kind}: a failing transaction does not roll back those of other callers`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    await db.run(addItem('taken'))
    const names = Array.from({ length: 100 }, (_, index) => `n${String(index).padStart(3, '0')}`)

    const answers = await Promise.allSettled(
      names.map((name, index) =>
        index % 10 === 5
          ? db.transaction([addItem(name), addItem('taken')])
          : db.transaction([addItem(name), addItem(`${name}-too`)]),
      ),
    )

    const kept = names.filter((_, index) => index % 10 !== 5)
    assert.equal(answers.filter(({ status }) => status === 'rejected').length, 10)
    assert.deepEqual(
      await db.run(listNames()),
      [...kept.flatMap((name) => [name, `${name}-too`]), 'taken'].sort(),
    )
  })

  test(`${kind}: concurrent updates of one row are all applied`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    await db.run(addItem('counter'))
    const increment = sql`update items set amount = amount + 1 where name = 'counter'`

    await Promise.all(Array.from({ length: 200 }, () => db.transaction([increment, increment])))

    assert.deepEqual(await db.run(findItem('counter')), [{ name: 'counter', amount: 400 }])
  })

  test(`${kind}: an empty transaction returns nothing`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)

    assert.deepEqual(await db.transaction([]), [])
  })

  test(`${kind}: an acknowledged write is visible to another connection`, async (t) => {
    const store = await createBlankStore(t, kind)
    const db = await store.open(withItems)
    const other = await store.open(withItems)

    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        await db.run(addItem(`n${index}`))
        assert.equal((await other.run(findItem(`n${index}`))).length, 1)
      }),
    )
  })
}

test('sqlite: a write is acknowledged only after its commit', async (t) => {
  const store = await createBlankStore(t, 'sqlite')
  const db = await store.open(withItems)
  using observer = new DatabaseSync(join(store.place.dataDir, 'trawl.db'))
  const find = observer.prepare('select 1 from items where name = ?')

  await Promise.all(
    Array.from({ length: 500 }, async (_, index) => {
      await db.run(addItem(`n${index}`))
      // In the same turn as the answer: there is no time to commit in between.
      assert(find.get(`n${index}`))
    }),
  )
})

test('sqlite: concurrent callers share one group commit', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)
  const { commits } = db.statistics()

  await Promise.all(Array.from({ length: 500 }, (_, index) => db.run(addItem(`n${index}`))))

  assert.equal(db.statistics().commits - commits, 1)
})

test('sqlite: a steady stream of callers shares group commits', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)
  const { commits } = db.statistics()

  await Promise.all(
    Array.from({ length: 50 }, async (_, writer) => {
      for (let index = 0; index < 20; index++) await db.run(addItem(`${writer}-${index}`))
    }),
  )

  assert(db.statistics().commits - commits <= 250)
})

test('sqlite: a read needs no commit', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)
  const { commits } = db.statistics()

  await Promise.all([db.run(listNames()), db.transaction([listNames(), findItem('a')])])

  assert.equal(db.statistics().commits, commits)
})

test('postgres: the transaction that a deadlock rolled back is retried', async (t) => {
  const store = await createBlankStore(t, 'postgres')
  const url = `${store.place.url}?options=-c%20deadlock_timeout%3D20ms`
  const db = await store.open({ ...withItems, url })
  await db.transaction([addItem('a'), addItem('b')])
  const increment = (name: string) =>
    sql`update items set amount = amount + 1 where name = ${name} returning amount`
  // Long enough in the server that each has its first row before the other asks for it.
  const pause = sql`select pg_sleep(0.2)`

  await Promise.all([
    db.transaction([increment('a'), pause, increment('b')]),
    db.transaction([increment('b'), pause, increment('a')]),
  ])

  assert.equal((await db.run(findItem('a')))[0]?.amount, 2)
  assert.equal((await db.run(findItem('b')))[0]?.amount, 2)
})
