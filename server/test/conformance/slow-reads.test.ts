import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Statement, sql } from '../../src/storage/statement.ts'
import { onEachTurn } from '../support/each-turn.ts'
import { createBlankStore, openBlankStore, storeKinds } from '../support/test-store.ts'
import { addItem, findItem, listNames, withItems } from './items.ts'

/** It takes the longer, the more it counts. */
const countTo = (count: number): Statement<{ last: number }> =>
  sql<{ last: number }>`
    with recursive counted (number) as (
      select 1 union all select number + 1 from counted where number < ${count})
    select max(number) as last from counted`.slow()

const countMax = 30_000_000

for (const kind of storeKinds) {
  test(`${kind}: a slow read returns the same rows as an ordinary one, the last commit included`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    for (const name of ['a', 'b', 'ü']) {
      await db.run(addItem(name, 2 ** 40))
      assert.deepEqual(await db.run(findItem(name).slow()), [{ name, amount: 2 ** 40 }])
    }

    assert.deepEqual(await db.run(listNames().slow()), await db.run(listNames()))
  })

  test(`${kind}: slow reads of one transaction see one state, and what it has written before`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)

    const [, names] = await db.transaction([addItem('a'), listNames().slow()])
    const [one, same] = await db.transaction([listNames().slow(), listNames().slow()])

    assert.deepEqual([names, one, same], [['a'], ['a'], ['a']])
  })

  test(`${kind}: others have turns of the event loop while the rows of a slow read are mapped`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    await db.transaction(Array.from({ length: 100 }, (_, index) => addItem(String(index))))
    // Each turn of the work is over after a few looks at this clock.
    let nowMs = performance.now()
    t.mock.method(performance, 'now', () => nowMs++)
    let [inThisTurn, inOneTurn] = [0, 0]
    onEachTurn(t, () => {
      inOneTurn = Math.max(inOneTurn, inThisTurn)
      inThisTurn = 0
    })

    const names = await db.run(
      listNames()
        .map((name) => {
          inThisTurn += 1
          return name
        })
        .slow(),
    )

    assert.equal(names.length, 100)
    assert.ok(inOneTurn > 0 && inOneTurn < 10, `${inOneTurn} rows in one turn`)
  })
}

const others: Record<string, (name: string) => Statement<unknown>> = {
  'a write': (name) => addItem(name),
  'another read': () => listNames(),
}
for (const [what, statementFor] of Object.entries(others)) {
  test(`sqlite: ${what} does not wait for a slow read`, async (t) => {
    const db = await openBlankStore(t, 'sqlite', withItems)
    await db.run(countTo(1))

    // Where the machine is slow to write, a longer read shows it.
    let first: string | undefined
    for (let count = 300_000; first !== 'the other' && count < countMax; count *= 3) {
      const slow = db.run(countTo(count)).then(() => 'the slow read')
      const other = db.run(statementFor(`item ${count}`)).then(() => 'the other')
      first = await Promise.race([slow, other])
      await Promise.all([slow, other])
    }

    assert.equal(first, 'the other')
  })
}

test('sqlite: calls that wait with a bulk write are committed before it', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)
  const ended: string[] = []
  const note = (name: string) => () => void ended.push(name)

  await Promise.all([
    db.transaction([addItem('bulk').bulk(), addItem('of the same')]).then(note('bulk')),
    db.transaction([addItem('another').bulk()]).then(note('another bulk')),
    db.run(addItem('small')).then(note('small')),
    db.run(listNames()).then((names) => note(`read ${names}`)()),
  ])

  assert.deepEqual(ended, ['small', 'read small', 'bulk', 'another bulk'])
})

test('sqlite: a slow read that is waited for is no sign of an overloaded store', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)
  const slow = db.run(countTo(300_000))
  // It has been sent after the first, and is waited for.
  await nextTurn()
  await nextTurn()

  assert.equal(db.longestWaitMs(), 0)
  await slow
})

test('sqlite: a slow read that fails has the same error as an ordinary one', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)
  const wrong = sql`select * from nowhere`

  const ordinary = await db.run(wrong).catch((error: Error) => error.message)
  const slow = await db.run(wrong.slow()).catch((error: Error) => error.message)

  assert.equal(slow, ordinary)
  assert.deepEqual(await db.run(listNames().slow()), [])
})

test('sqlite: a store that is closed ends its slow read and leaves one file', async (t) => {
  const store = await createBlankStore(t, 'sqlite')
  const db = await store.open(withItems)
  await db.run(addItem('a'))

  const slow = db.run(countTo(300_000))
  await db[Symbol.asyncDispose]()

  assert.deepEqual(await slow, [{ last: 300_000 }])
  await assert.rejects(db.run(listNames().slow()))
  assert.ok(!existsSync(join(store.place.dataDir, 'trawl.db-wal')))
})
