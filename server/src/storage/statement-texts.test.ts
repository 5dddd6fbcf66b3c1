import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forUpdate, type Slot, script, skipLocked, sql } from './statement.ts'
import { StatementTexts } from './statement-texts.ts'

const createTexts = () =>
  new StatementTexts({
    placeholder: (position) => `$${position}`,
    fragments: {
      skipLocked: 'SKIP',
      forUpdate: 'LOCK',
      forNoKeyUpdate: '',
      migrationLock: '',
      storeBytes: '',
      jsonElements: '',
    },
  })

const find = (slot: Slot, limit: number) => sql`select a where ${slot} limit ${limit}`

test('values become parameters, in the order of their place in the text', () => {
  const { text, values } = createTexts().render(find('x', 3))

  assert.equal(text.sql, 'select a where $1 limit $2')
  assert.deepEqual(values, ['x', 3])
})

test('a template is rendered to the same text and number for all values', () => {
  const texts = createTexts()

  const first = texts.render(find('x', 3))
  const second = texts.render(find('y', 4))

  assert.equal(first.text, second.text)
  assert.deepEqual(second.values, ['y', 4])
  assert.equal(texts.sqlOf(second.text.number ?? -1), 'select a where $1 limit $2')
})

test('a template with another kind of slot is rendered to another text', () => {
  const texts = createTexts()

  const rendered = ['x', skipLocked, forUpdate, sql`b = ${1} and c = ${2}`, 'y'].map((slot) =>
    texts.render(find(slot, 9)),
  )

  assert.deepEqual(
    rendered.map(({ text, values }) => [text.sql, values]),
    [
      ['select a where $1 limit $2', ['x', 9]],
      ['select a where SKIP limit $1', [9]],
      ['select a where LOCK limit $1', [9]],
      ['select a where b = $1 and c = $2 limit $3', [1, 2, 9]],
      ['select a where $1 limit $2', ['y', 9]],
    ],
  )
})

test('equal texts built from different nested statements share one number', () => {
  const texts = createTexts()

  const one = texts.render(find(sql`b = ${1}`, 2))
  const other = texts.render(find(sql`b = ${5}`, 6))

  assert.equal(one.text, other.text)
})

test('a script has no number, so it is never kept prepared', () => {
  const { text } = createTexts().render(script('create table a (b text); drop table a'))

  assert.equal(text.number, undefined)
})
