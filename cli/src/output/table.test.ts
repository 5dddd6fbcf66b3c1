import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { asTable, inColumns } from './table.ts'
import { cutToWidth, textWidth } from './terminal-text.ts'

const id = '01a1e75d-b99d-7000-93fe-4b1207cc9688'

test('a table has a column for each name, and a dash for what is not there', () => {
  const rows = [
    { name: 'a', count: 10 },
    { name: 'long name', count: null },
  ]

  assert.equal(asTable(rows), 'name       count\na          10\nlong name  -')
  assert.equal(asTable([]), '(none)')
})

test('on a narrow terminal the widest columns are cut, and ids never', () => {
  const rows = [{ id, status: 'completed', url: `https://example.com/${'x'.repeat(200)}` }]

  const [, row = ''] = asTable(rows, 80).split('\n')

  assert.equal(row.length, 80)
  assert.ok(row.startsWith(`${id}  completed  https://example.com/xxx`))
  assert.ok(row.endsWith('…'))
})

test('a table that cannot fit is printed as records', () => {
  assert.equal(
    asTable([{ id, status: 'completed', url: 'https://example.com/' }], 40),
    `id      ${id}\nstatus  completed\nurl     https://example.com/`,
  )
})

test('a record is not cut, since it may be a secret that is shown once', () => {
  const secret = 'whsec_'.repeat(40)

  assert.equal(asTable({ secret }, 40), `secret  ${secret}`)
})

test('control characters in cells are shown as their codes', () => {
  const hostile = '\u001b]0;title\u0007\u009b2J\u202e\r\n'

  for (const printed of [[{ title: hostile }], { title: hostile }]) {
    assert.match(
      asTable(printed),
      /\\u\{1b\}\]0;title\\u\{7\}\\u\{9b\}2J\\u\{202e\}\\u\{d\}\\u\{a\}/,
    )
  }
})

test('no row is wider than the terminal, whatever the cells are', () => {
  const cells = fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), {
    minLength: 3,
    maxLength: 3,
  })
  fc.assert(
    fc.property(fc.array(cells, { minLength: 1, maxLength: 5 }), fc.nat(100), (rows, extra) => {
      const width = 40 + extra
      const printableRows = rows.map((row) => row.map((cell) => cell.replace(/\p{C}/gu, '')))
      for (const line of inColumns(printableRows, width).split('\n')) {
        assert.ok(textWidth(line) <= width)
      }
    }),
  )
})

test('wide characters take two columns', () => {
  assert.equal(textWidth('魚'), 2)
  assert.equal(cutToWidth('魚魚魚', 5), '魚魚…')
  assert.equal(cutToWidth('魚魚魚', 4), '魚…')
})
