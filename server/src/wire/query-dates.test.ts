import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readQueryDate } from './query-dates.ts'

const read = (text: string) => {
  const ms = readQueryDate(text, 'start')
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

test('a date in a query may have any spelling of its zone', () => {
  const noon = '2026-11-16T12:00:00.000Z'
  for (const spelling of [
    '2026-11-16T12:00:00Z',
    '2026-11-16t12:00:00z',
    '2026-11-16 12:00',
    '2026-11-16T12:00',
    '2026-11-16T12:00:00.000000+0000',
    '2026-11-16T12:00:00.000000 0000',
    '2026-11-16T12:00:00+00:00',
    '2026-11-16T12:00:00-00:00',
    '2026-11-16T14:00:00+02',
    '2026-11-16T14:30:00+0230',
    '2026-11-16T06:30:00-05:30',
    '2026-11-17T01:00:00+13:00',
  ]) {
    assert.equal(read(spelling), noon, spelling)
  }
})

test('a fraction of a second is cut to milliseconds', () => {
  assert.equal(read('2026-11-16T12:00:00.29Z'), '2026-11-16T12:00:00.290Z')
  assert.equal(read('2026-11-16T12:00:00,5Z'), '2026-11-16T12:00:00.500Z')
  assert.equal(read('2026-11-16T12:00:59.999999999Z'), '2026-11-16T12:00:59.999Z')
  assert.equal(read('2026-11-16T12:00:00.001999+0000'), '2026-11-16T12:00:00.001Z')
})

test('a bare day starts at its first millisecond and ends at its last', () => {
  assert.equal(read('2024-02-29'), '2024-02-29T00:00:00.000Z')
  assert.equal(readQueryDate('2024-02-29', 'end'), Date.parse('2024-02-29T23:59:59.999Z'))
  assert.equal(readQueryDate('2024-02-29T00:00:00Z', 'end'), Date.parse('2024-02-29T00:00:00.000Z'))
})

test('a text that is no date is not read', () => {
  for (const text of [
    '',
    'today',
    '1731758400',
    '2026-11',
    '2026-02-29',
    '2026-13-01',
    '2026-11-31',
    '2026-00-10',
    '2026-11-16T24:00:00Z',
    '2026-11-16T12:60:00Z',
    '2026-11-16T12:00:60Z',
    '2026-11-16T12Z',
    '2026-11-16T12:00:00+2',
    '2026-11-16T12:00:00+2400',
    '2026-11-16T12:00:00+0060',
    '2026-11-16T12:00:00.0000000001Z',
    ' 2026-11-16',
    '2026-11-16Z',
    '2026-11-16T12:00:00Z[UTC]',
    `2026-11-16T12:00:00.${'0'.repeat(100_000)}Z`,
  ]) {
    assert.equal(readQueryDate(text, 'start'), undefined, text.slice(0, 40))
  }
})
