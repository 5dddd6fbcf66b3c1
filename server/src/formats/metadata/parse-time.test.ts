import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { parseTime } from './parse-time.ts'

const cases: [text: string, time: string | undefined][] = [
  ['2021-03-04', '2021-03-04'],
  ['2021-03-04T10:11:12Z', '2021-03-04T10:11:12.000Z'],
  ['2021-03-04T10:11:12.5+02:00', '2021-03-04T08:11:12.500Z'],
  ['2021-03-04T10:11:12+0200', '2021-03-04T08:11:12.000Z'],
  ['2021-03-04T10:11+02', '2021-03-04T08:11:00.000Z'],
  ['2021-03-04 10:11:12', '2021-03-04T10:11:12'],
  ['2021-03-04 10:11:12 UTC', '2021-03-04T10:11:12.000Z'],
  ['2021-03-04T10:11:12.123456789', '2021-03-04T10:11:12.123'],
  ['20210304T101112Z', '2021-03-04T10:11:12.000Z'],
  [' 2021-03-04 ', '2021-03-04'],
  ['Thu, 04 Mar 2021 10:11:12 GMT', '2021-03-04T10:11:12.000Z'],
  ['Thu, 4 Mar 2021 10:11:12 -0800', '2021-03-04T18:11:12.000Z'],
  ['4 March 2021 10:11 EST', '2021-03-04T15:11:00.000Z'],
  ['2021-02-30', undefined],
  ['2021-13-01', undefined],
  ['2021-03-04T25:00:00Z', undefined],
  ['03/04/2021', undefined],
  ['4.3.2021', undefined],
  ['20210304', undefined],
  ['1614852672', undefined],
  ['yesterday', undefined],
  ['4 Foo 2021 10:11 GMT', undefined],
  ['Thu, 04 Mar 2021 10:11:12 IST', undefined],
  ['', undefined],
]

for (const [text, time] of cases) {
  test(`the time '${text}' is ${time ?? 'not guessed at'}`, () => {
    assert.equal(parseTime(text), time)
  })
}

test('the time that any date writes is the same time again', () => {
  const date = fc.date({
    noInvalidDate: true,
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T00:00:00Z'),
  })
  fc.assert(fc.property(date, (one) => parseTime(one.toISOString()) === one.toISOString()))
})
