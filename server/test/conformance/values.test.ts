import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipLocked, sql } from '../../src/storage/statement.ts'
import { openBlankStore, storeKinds } from '../support/test-store.ts'
import { addContent, addItem, findItem, withItems } from './items.ts'

for (const kind of storeKinds) {
  test(`${kind}: any text is read back unchanged`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    const texts = [
      '',
      "'; drop table items; --",
      'žluťoučký 🐟 \u{10ffff}',
      'a\nb\tc',
      '$1 ? :name',
    ]
    for (const text of texts) {
      const [row] = await db.run(sql<{ text: string }>`select cast(${text} as text) as text`)

      assert.equal(row?.text, text)
    }
  })

  test(`${kind}: integers are exact up to 2^53 and stay integers`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    const amount = Number.MAX_SAFE_INTEGER
    await db.run(addItem('large', amount))

    const [row] = await db.run(findItem('large'))
    const [half] = await db.run(sql<{ half: number; text: string }>`
      select cast(${7} as bigint) / 2 as half, cast(cast(${7} as bigint) as text) as text`)

    assert.equal(row?.amount, amount)
    assert.deepEqual(half, { half: 3, text: '7' })
  })

  test(`${kind}: an integer that JavaScript cannot represent exactly is an error`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)

    await assert.rejects(
      db.run(sql`select cast('9007199254740993' as bigint) as large`),
      /too large/,
    )
    await db.ping()
  })

  test(`${kind}: fractions, sums, counts and booleans are returned as numbers`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    await db.transaction([addItem('a', 2), addItem('b', 3)])

    const [row] = await db.run(sql<Record<string, number>>`
      select sum(amount) as sum, count(*) as count, 1 = 1 as truth, 1 = 2 as falsehood,
        cast(${1.25} as double precision) as fraction
      from items`)

    assert.deepEqual({ ...row }, { sum: 5, count: 2, truth: 1, falsehood: 0, fraction: 1.25 })
  })

  test(`${kind}: null is stored and read back as null`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    await db.run(addContent('none', null))

    const rows = await db.run(sql<{ content: null }>`select content from items`)

    assert.deepEqual(rows, [{ content: null }])
  })

  test(`${kind}: bytes are read back as a separate Uint8Array, and the caller's stays usable`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    const large = new Uint8Array(1_000_000).map((_, index) => index * 7)
    const contents = [new Uint8Array(0), Uint8Array.of(0, 255, 10), Buffer.from('pooled'), large]
    await db.transaction(contents.map((content, index) => addContent(`c${index}`, content)))

    const rows = await db.run(sql<{ content: Uint8Array<ArrayBuffer> }>`
      select content from items order by name`)

    assert.equal(Buffer.from(contents[2] ?? []).toString(), 'pooled')
    for (const [index, { content }] of rows.entries()) {
      assert.equal(Object.getPrototypeOf(content), Uint8Array.prototype)
      assert.equal(content.buffer.byteLength, content.byteLength)
      assert(Buffer.from(contents[index] ?? []).equals(content))
    }
  })

  test(`${kind}: a value that SQL does not have is refused before it reaches the store`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    for (const value of [undefined, true, {}, Number.NaN, Infinity]) {
      await assert.rejects(db.run(addContent('x', value as never)), TypeError)
    }
  })

  test(`${kind}: a statement can be embedded in another, with its values`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    await db.transaction([addItem('a', 1), addItem('b', 2), addItem('c', 3)])
    const within = (from: number, to: number) => sql`amount between ${from} and ${to}`
    const named = (name: string) => sql`name <> ${name}`
    const find = (condition: ReturnType<typeof within>, limit: number) =>
      sql<{ name: string }>`select name from items where ${condition} order by name limit ${limit}`

    const between = await db.run(find(within(2, 3), 5))
    const others = await db.run(find(named('b'), 1))
    const both = await db.run(find(sql`${within(1, 2)} and ${named('a')}`, 5))

    assert.deepEqual(between, [{ name: 'b' }, { name: 'c' }])
    assert.deepEqual(others, [{ name: 'a' }])
    assert.deepEqual(both, [{ name: 'b' }])
  })

  test(`${kind}: a dialect fragment becomes the SQL of the store`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    await db.transaction([addItem('a', 1), addItem('b', 2)])

    const claimed = await db.run(sql<{ name: string }>`
      with due as (select name from items order by name limit 1 ${skipLocked})
      update items set amount = amount + 10 from due where items.name = due.name
      returning items.name, items.amount`)

    assert.deepEqual(claimed, [{ name: 'a', amount: 11 }])
  })

  test(`${kind}: rows pass through every map of a statement, in order`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    await db.run(addItem('a', 1))

    const lengths = await db.run(
      findItem('a')
        .map(({ name }) => `${name}!`)
        .map((text) => text.length),
    )

    assert.deepEqual(lengths, [2])
  })

  test(`${kind}: more than a thousand different statement texts can be run`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    const texts = Array.from({ length: 1_100 }, (_, index) => {
      const literal = { strings: [`${index}`], slots: [] }
      return sql<{ n: number }>`select ${Object.assign(sql`0`, literal)} as n`
    })

    const rows = await Promise.all(texts.map((text) => db.run(text)))

    assert.deepEqual(
      rows.map(([row]) => row?.n),
      texts.map((_, index) => index),
    )
  })

  test(`${kind}: a statement that is not SQL fails alone, with the store's error message`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)

    const answers = await Promise.allSettled([
      db.run(addItem('a')),
      db.run(sql`selec nonsense`),
      db.run(addItem('b')),
    ])

    assert.deepEqual(
      answers.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.match(String((answers[1] as PromiseRejectedResult).reason), /syntax error/)
  })
}
